"""A row of the proof: what a paper prints, and what the engine computes for the same."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, NamedTuple, assert_never


class Paper(StrEnum):
    """The four papers, in the order in which they are shown."""

    ATALLAH = "A"
    AL_SAQABI = "S"
    DU = "D"
    SHUM = "C"


TITLES = {
    Paper.ATALLAH: "Atallah, Lock Black, Marinescu, Siegel, Casavant: Coscheduling compute-intensive tasks, 1992",
    Paper.AL_SAQABI: "Al-Saqabi, Otto, Walpole: Gang scheduling in heterogeneous distributed systems, 1994",
    Paper.DU: "Du, Dong, Zhang: Efficient local scheduling on heterogeneous networks of workstations, 1997",
    Paper.SHUM: "Shum: Adaptive parallelism for computing on heterogeneous clusters, 1996",
}


class Mark(StrEnum):
    """How Lockstep computes the number of a row: exactly, by a simulation within a tolerance, or not at all."""

    EXACT = "exact"
    IN_SHAPE = "in shape"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperRow:
    """A number of a paper, or several numbers that belong together, and what Lockstep computes for the same.

    ``place`` is the section, table or figure, and ``what`` says what is counted. If the paper is wrong, ``note`` names
    the erratum of docs/algorithms.md. Otherwise ``note`` has the tolerance and the seed of a simulation, or the reason
    why nothing is computed. A simulated number ``is_off`` if it differs by more than the tolerance.
    """

    paper: Paper
    place: str
    what: str
    printed: str
    ours: str
    mark: Mark
    note: str = ""
    is_wrong: bool = False
    is_off: bool = False

    @property
    def holds(self) -> bool:
        """Whether our number is the printed one, or within the tolerance, or differs where the paper is wrong."""
        match self.mark:
            case Mark.EXACT:
                return (self.ours == self.printed) is not self.is_wrong
            case Mark.IN_SHAPE:
                return not self.is_off
            case Mark.MISSING:
                return True
            case _:
                assert_never(self.mark)


def exact(paper: Paper, place: str, what: str, printed: str, ours: str, note: str = "") -> PaperRow:
    """A row that is computed exactly, and comes out as it is printed."""
    return PaperRow(paper=paper, place=place, what=what, printed=printed, ours=ours, mark=Mark.EXACT, note=note)


def erratum(paper: Paper, place: str, what: str, printed: str, ours: str, why: str) -> PaperRow:
    """A row that is computed exactly, and differs; ``why`` gives the reason and names the erratum."""
    return replace(exact(paper, place, what, printed, ours, why), is_wrong=True)


class Tolerance(NamedTuple):
    """How far a simulated number may be from the printed one, and the seed of the simulation; None means no seed."""

    most: float
    seed: int | None = None

    def __str__(self) -> str:
        """Return the tolerance and the seed as a clause."""
        return f"within {self.most:g}" + ("" if self.seed is None else f", seed {self.seed}")


class Printed(NamedTuple):
    """The range of a number in a paper, from ``least`` to ``most``; if the paper prints no number, its ``words``."""

    least: float
    most: float
    words: str = ""

    def __str__(self) -> str:
        """The number, the range or the words."""
        return self.words or (f"{self.least:g}" if self.least == self.most else f"{self.least:g} to {self.most:g}")


def in_shape(paper: Paper, place: str, what: str, printed: Printed, ours: float, tolerance: Tolerance) -> PaperRow:
    """A row that is simulated."""
    least, most = printed.least, printed.most
    return PaperRow(
        paper=paper,
        place=place,
        what=what,
        printed=str(printed),
        ours=f"{ours:.2f}",
        mark=Mark.IN_SHAPE,
        note=str(tolerance),
        is_off=not least - tolerance.most <= ours <= most + tolerance.most,
    )


def missing(paper: Paper, place: str, what: str, why: str) -> PaperRow:
    """A row for which Lockstep has no number."""
    return PaperRow(paper=paper, place=place, what=what, printed="", ours="", mark=Mark.MISSING, note=why)


def as_any(answer: Any) -> Any:
    """Return the engine's answer as type Any, for a problem that has a solution.

    If the answer is a refusal after all, the caller's access to an attribute fails.
    """
    return answer


def decimal(number: float | Fraction, digits: int) -> str:
    """The number as papers print it, rounded half up, without zeros at its end: 35.3, 40."""
    unit = Fraction(1, 10**digits)
    rounded = (Fraction(number) / unit + Fraction(1, 2)) // 1 * unit
    text = f"{float(rounded):.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def listed(entries: Iterable[object]) -> str:
    """The entries with commas between them."""
    return ", ".join(map(str, entries))
