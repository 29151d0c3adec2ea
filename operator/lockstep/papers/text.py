"""The proof, as lines for a terminal and as tables in Markdown."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap

from lockstep.papers.mechanisms.mechanism import Mechanism, MechanismState
from lockstep.papers.row import TITLES, Mark, Paper, PaperRow
from lockstep.papers.sensitivities import Sensitivity

_WIDTH = 100
_INDENT = 10
_STATE_INDENT = 16
_HEADS_OF_MECHANISMS = "| section | what the paper describes | in Lockstep | where, or why not |\n|---|---|---|---|\n"
_HEADS = "| where | what | printed | Lockstep | how |\n|---|---|---|---|---|\n"


def lines(found: Mapping[Paper, Sequence[PaperRow]]) -> Iterator[str]:
    """Yield a line for each row, with its note; long lines are wrapped."""
    for paper, rows in found.items():
        yield f"[{paper}] {TITLES[paper]}"
        for row in rows:
            yield from _hanging(f"{row.mark:<{_INDENT}}{row.place}, {_sentence(row)}", _INDENT)
        yield ""


def lines_of_mechanisms(mechanisms: Mapping[Paper, Sequence[Mechanism]]) -> Iterator[str]:
    """Yield lines for each mechanism: its state in Lockstep, and where it is."""
    for paper, entries in mechanisms.items():
        yield f"Mechanisms of [{paper}]"
        for one in entries:
            yield from _hanging(f"{one.state:<{_STATE_INDENT}}{one.place}, {one.what} {one.where}", _STATE_INDENT)
        yield ""


def _hanging(text: str, indent: int) -> list[str]:
    return wrap(text, _WIDTH, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)


def _sentence(row: PaperRow) -> str:
    if row.mark is Mark.MISSING:
        return f"{row.what}: {row.note}."
    note = f": {row.note}" if row.note else ""
    if row.ours == row.printed:
        return f"{row.what}: {row.printed}{note}."
    return f"{row.what}: {row.printed} is printed, Lockstep has {row.ours}{note}."


def markdown(found: Mapping[Paper, Sequence[PaperRow]]) -> str:
    """A heading and a table for each paper."""
    return "\n".join(
        f"## [{paper}] {TITLES[paper]}\n\n{_HEADS}" + "".join(_cells(row) for row in rows)
        for paper, rows in found.items()
    )


def _cells(row: PaperRow) -> str:
    how = f"{row.mark}: {row.note}" if row.note else row.mark
    return f"| {row.place} | {row.what} | {row.printed} | {row.ours} | {how} |\n"


def markdown_of_mechanisms(mechanisms: Mapping[Paper, Sequence[Mechanism]]) -> str:
    """A heading and a table for each paper."""
    return "\n".join(
        f"### Of [{paper}]\n\n{_HEADS_OF_MECHANISMS}"
        + "".join(f"| {one.place} | {one.what} | {one.state} | {one.where} |\n" for one in entries)
        for paper, entries in mechanisms.items()
    )


def lines_of_sensitivities(entries: Iterable[Sensitivity]) -> Iterator[str]:
    """Yield a line for each parameter, with its results."""
    yield "Sensitivities"
    for one in entries:
        results = ", ".join(f"{result} with {value}" for value, result in one.results)
        yield from _hanging(f"[{one.paper}] {one.parameter:<{_INDENT - 4}}{one.what}: {results}.", _INDENT)
    yield ""


def markdown_of_sensitivities(entries: Iterable[Sensitivity]) -> str:
    """Return a table with a line for each parameter."""
    rows = "".join(
        f"| [{one.paper}] {one.parameter} | {one.what} | "
        f"{'; '.join(f'{value}: {result}' for value, result in one.results)} |\n"
        for one in entries
    )
    return f"| parameter | what | results by its value |\n|---|---|---|\n{rows}"


def summary_of_mechanisms(mechanisms: Mapping[Paper, Sequence[Mechanism]]) -> str:
    """Return a sentence with the number of mechanisms in each state."""
    states = [one.state for entries in mechanisms.values() for one in entries]
    counted = ", ".join(f"{states.count(state)} {state}" for state in MechanismState)
    return f"The papers describe {len(states)} mechanisms: {counted}."


def summary(found: Mapping[Paper, Sequence[PaperRow]]) -> str:
    """Return a sentence with the number of rows of each mark."""
    marks = [row.mark for rows in found.values() for row in rows]
    wrong = sum(row.is_wrong for rows in found.values() for row in rows)
    return (
        f"{marks.count(Mark.EXACT)} rows are exact, of which {wrong} show an error of a paper; "
        f"{marks.count(Mark.IN_SHAPE)} are in shape (simulated); {marks.count(Mark.MISSING)} are missing."
    )
