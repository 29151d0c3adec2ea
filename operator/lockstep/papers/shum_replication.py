"""[C] 7.4.2: the mean time of replicated runs, for which the paper prints a wrong formula."""

from collections.abc import Iterator
from fractions import Fraction

from coschedule import mean_turnaround
from lockstep.papers.row import Paper, PaperRow, decimal, erratum


def rows() -> Iterator[PaperRow]:
    """Compare formula (7.1) as it is printed with the mean that docs/algorithms.md proves."""
    for runs, replicas, speedup in ((1, 1, 1), (4, 4, 2), (20, 5, 3)):
        what = f"mean time of {runs} runs on {replicas} replicas, each {speedup} times as fast"
        ours = mean_turnaround(runs=runs, replicas=replicas, speedup=speedup)
        wrong = "the last run of each replica counts twice, and its speed-up not at all (erratum 8e)"
        yield erratum(Paper.SHUM, "7.4.2 (7.1)", what, _printed(runs, replicas, speedup), decimal(ours, 2), wrong)


def _printed(runs: int, replicas: int, speedup: int) -> str:
    """Return the printed formula (7.1), N/(S_p·R) + H_R, as text."""
    harmonic = sum(Fraction(1, rank) for rank in range(1, replicas + 1))
    return decimal(Fraction(runs, speedup * replicas) + harmonic, 2)
