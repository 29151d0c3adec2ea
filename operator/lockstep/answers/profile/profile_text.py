"""Formats the profile as text: a block for the spec, its accuracy, and predicted beside observed run times."""

from collections.abc import Iterator, Sequence

from coschedule import NoFit, SerialWork, Shortage, WorkFit
from lockstep.answers.plan.text import wrapped
from lockstep.answers.profile.profile import SHORTEST_SERIAL, ProfileAnswer, ProfileRow
from lockstep.api.preemption import gang_name
from lockstep.facts.past_runs import KIND_LABEL, THOUSAND, Kinds
from lockstep.report.text.learned import by_kinds, error_percentage, go_duration, left_out, shortage_clause, with_sizes
from lockstep.report.text.sentences import as_sentence, duration, n_members

Block = dict[str, str | dict[str, str]]

OVERHEADS = ("fixed", "perMember", "perLogMember")
LONGEST_SERIAL = 876_000 * 3600.0
LONGEST_OVERHEAD = 8760 * 3600.0
"""The longest overhead that a GangJob accepts, in seconds. ``LONGEST_SERIAL`` is its longest serial time."""

_WIDTH = 40
_NOTHING = "0s"
# Run times may differ by this share by chance.
_NEGLIGIBLE = 0.05


def profile_lines(answer: ProfileAnswer, bar: str) -> Iterator[str]:
    """The lines of the profile; ``bar`` is the character of bars."""
    of = "" if answer.source == answer.gang else f", from the status of {gang_name(answer.source)}"
    runs = "1 run of its template is" if len(answer.runs) == 1 else f"{len(answer.runs)} runs of its template are"
    yield from wrapped(f"{gang_name(answer.gang)}: {runs} known{of}.")
    if isinstance(answer.fit, NoFit):
        yield from wrapped(as_sentence(shortage_clause(answer.fit) + _advice(answer.fit, answer)))
        yield from wrapped(_last_run(answer))
        yield from _kinds(answer.kinds)
        return
    if answer.fit.left_out:
        yield from wrapped(as_sentence(left_out(answer.fit)))
    yield ""
    yield from _block(answer.fit)
    yield ""
    yield from _plot(answer, bar)
    yield ""
    yield from _how_sure(answer.fit, answer)
    yield from _kinds(answer.kinds)


def work_block(fit: WorkFit) -> Block:
    """The law in the form of ``work`` in a spec, within the bounds of a spec. Overheads of 0 are left out."""
    return _formatted(fit.coefficients.tolist())


def suggested_block(work: SerialWork) -> Block:
    """The suggested work in the form of ``work`` in a spec. Only its scale was learned."""
    return _formatted([float(one) for one in (work.serial, work.fixed, work.per_member, work.per_log_member)])


def _formatted(coefficients: Sequence[float]) -> Block:
    serial, *overheads = _most_stated(coefficients)
    formatted = {name: go_duration(value) for name, value in zip(OVERHEADS, overheads, strict=True)}
    carried = {name: text for name, text in formatted.items() if text != _NOTHING}
    block: Block = {"serialTime": go_duration(max(serial, SHORTEST_SERIAL))}
    return {**block, "overhead": carried} if carried else block


def too_long_to_state(fit: WorkFit) -> str:
    """A clause that says that a spec can't state times as long as those of the law; '' if it can."""
    found = fit.coefficients.tolist()
    if _most_stated(found) == found:
        return ""
    return (
        f"its formula gives longer times than a spec may state: the block has the largest values, a serialTime of "
        f"{go_duration(LONGEST_SERIAL)} or an overhead of {go_duration(LONGEST_OVERHEAD)}"
    )


def _most_stated(coefficients: Sequence[float]) -> list[float]:
    """The serial time and the overheads in seconds, limited to values that a spec may state."""
    most = (LONGEST_SERIAL, *(LONGEST_OVERHEAD for _ in OVERHEADS))
    return [min(value, limit) for value, limit in zip(coefficients, most, strict=True)]


def _last_run(answer: ProfileAnswer) -> str:
    """A sentence about the last run: its time, the time that its spec predicted, and what to state instead."""
    last = answer.runs[-1]
    took, factor = last.milliseconds / THOUSAND, last.thousandths / THOUSAND
    predicted = f"predicted {duration(took / factor)}"
    return (
        f"The last run succeeded in {duration(took)} with {n_members(last.members)}, {predicted}; {_to_state(answer)}."
    )


def _to_state(answer: ProfileAnswer) -> str:
    if abs(answer.times - 1) < _NEGLIGIBLE:
        return "there is no need to change its spec"
    if answer.suggested is None:
        return f"multiply the times of its profile by {answer.times:.2g}"
    block = suggested_block(answer.suggested)
    overhead = block.get("overhead", {})
    assert isinstance(overhead, dict)
    terms = [f"overhead.{name} {text}" for name, text in overhead.items()]
    return "try " + ", ".join([f"serialTime {block['serialTime']}", *terms])


def _block(fit: WorkFit) -> Iterator[str]:
    serial, *overheads = (2 * fit.standard_errors).tolist()
    off = dict(zip(OVERHEADS, overheads, strict=True))
    block = work_block(fit)
    yield "To paste into its spec:"
    yield ""
    yield "  work:"
    yield _line("    serialTime", str(block["serialTime"]), serial)
    overhead = block.get("overhead")
    if isinstance(overhead, dict):
        yield "    overhead:"
        yield from (_line(f"      {name}", text, off[name]) for name, text in overhead.items())
    if beyond := too_long_to_state(fit):
        yield ""
        yield from wrapped(as_sentence(beyond))


def _line(name: str, text: str, off: float) -> str:
    return f"{name}: {text}".ljust(34) + f"# may be off by {go_duration(off)}"


def _plot(answer: ProfileAnswer, bar: str) -> Iterator[str]:
    yield "Times on idle reference nodes (took: the median of the runs with that number of members):"
    yield f"  {'members':>7}  {'runs':>4}  {'took':>9}  {'forecast':>9}  {'off by':>9}  {bar} forecast, o took"
    longest = max(max(row.predicted, row.seen or 0.0) for row in answer.rows)
    yield from (_row(row, longest, bar) for row in answer.rows)


def _row(row: ProfileRow, longest: float, bar: str) -> str:
    seen = "" if row.seen is None else go_duration(row.seen)
    numbers = (
        f"{row.members:>7}  {row.runs:>4}  {seen:>9}  {go_duration(row.predicted):>9}  {go_duration(row.spread):>9}"
    )
    drawn = list(bar * max(1, round(_WIDTH * row.predicted / longest)))
    if row.seen is not None:
        at = max(0, round(_WIDTH * row.seen / longest) - 1)
        drawn += [" "] * (at + 1 - len(drawn))
        drawn[at] = "o"
    return f"  {numbers}  {''.join(drawn)}"


def _how_sure(fit: WorkFit, answer: ProfileAnswer) -> Iterator[str]:
    error = error_percentage(fit.error)
    yield from wrapped(f"On average, this formula is off by {error} for a run to which it was not fitted.")
    stated = error_percentage(answer.judged.stated_error)
    yield from wrapped(f"The times of the spec, corrected by the same runs, are off by {stated}.")
    yield from wrapped("If the runs follow this formula, 19 of 20 numbers are off by at most the error beside them.")
    if answer.judged.better is None:
        yield from wrapped("So its spec is as good, and you need not change it.")
    beyond = [text for text in (_below(fit, answer), _above(fit, answer)) if text]
    if beyond:
        yield from wrapped(f"No run had {' or '.join(beyond)}: forecasts for such sizes are guesses.")


def _kinds(kinds: Kinds | None) -> Iterator[str]:
    """A row for each kind of node: the number of its runs, and their times as multiples of those on the usual kind."""
    if kinds is None:
        return
    if not kinds.factors:
        yield from wrapped(as_sentence(by_kinds(kinds)))
        return
    yield ""
    yield "These numbers are for nodes of the usual kind. The column times has the factor for other kinds."
    yield f"The kinds are the values of the label {KIND_LABEL}:"
    yield f"  {'runs':>4}  {'times':>7}  kind"
    rows = zip(kinds.names, kinds.fit.times.tolist(), kinds.fit.runs.tolist(), strict=True)
    yield from (f"  {runs:>4}  {times:>7.3g}  {name}" for name, times, runs in rows)


def _below(fit: WorkFit, answer: ProfileAnswer) -> str:
    return f"fewer than {n_members(fit.sizes[0])}" if answer.least < fit.sizes[0] else ""


def _above(fit: WorkFit, answer: ProfileAnswer) -> str:
    return f"more than {n_members(fit.sizes[-1])}" if answer.most > fit.sizes[-1] else ""


def _advice(fit: NoFit, answer: ProfileAnswer) -> str:
    """A clause that names sizes for further runs; '' if other sizes would not help."""
    if fit.shortage is not Shortage.ONE_SIZE:
        return ""
    [size] = fit.sizes
    others = sorted({max(answer.least, size // 2), min(answer.most, 2 * size)} - {size})
    if not others:
        return ", but its spec allows no other size: allow one, and run the gang with it"
    return f": run it {with_sizes(others)} to learn how it scales"
