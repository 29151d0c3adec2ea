"""[D]: table 3 from table 2, figures 1 and 2, and the formula that promises too much."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

from coschedule import NoPace, keep_pace, measure_network
from lockstep.papers.row import Paper, PaperRow, decimal, erratum, exact, listed

_D = Paper.DU
_WEIGHTS = {
    kind: Fraction(weight)
    for kind, weight in (
        ("A", "1"), ("B", "0.790"), ("C", "0.562"), ("D", "0.461"), ("E", "0.436"), ("F", "0.374"), ("G", "0.239"),
    )
}  # fmt: skip
"""Table 2: power weights of seven kinds of Sun workstations."""

# (combination, H as printed, members as printed)
_TABLE_3 = (
    ("9A+B+G", "0.1", "11"),
    ("9A+C+D", "0.1", "11"),
    ("8A+3B", "0.1", "11"),
    ("3A+4B+5C+D+E+G", "0.3", "15"),
    ("2A+4B+8C+G", "0.3", "15"),
    ("3A+3B+6C+D+2E", "0.3", "15"),
    ("A+5B+9C", "0.3", "15"),
    ("A+15D+9G", "0.6", "25"),
    ("A+24F", "0.6", "25"),
)


def rows() -> Iterator[PaperRow]:
    """All rows of the paper, in its order."""
    yield from _table_3()
    yield from _figure_1()
    yield from _figure_2()


def _weights(combination: str) -> list[Fraction]:
    """Return the weights of a combination such as "9A+B+G", one for each node."""
    return [_WEIGHTS[term[-1]] for term in combination.split("+") for _ in range(int(term[:-1] or 1))]


def _table_3() -> Iterator[PaperRow]:
    for combination, printed, members in _TABLE_3:
        network = measure_network(_weights(combination))
        what = f"heterogeneity and nodes of {combination}"
        ours = f"{decimal(network.heterogeneity, 1)}, {network.members}"
        yield exact(_D, "2.3, table 3", what, f"{printed}, {members}", ours)
    off = measure_network(_weights("8A+3B")).power
    wrong = "all combinations are said to have 10; the others have 9.9 to 10.1 (errata, [D] table 3)"
    yield erratum(_D, "2.3, table 3", "total power of 8A+3B", "10", decimal(off, 1), wrong)


def _power(weights: Sequence[Fraction], free: Sequence[Fraction]) -> str:
    """Return the power that each member has, as text."""
    kept = keep_pace(weights, free)
    assert not isinstance(kept, NoPace), "each node of the figures leaves time"
    return decimal(kept.power, 2)


def _figure_1() -> Iterator[PaperRow]:
    weights = _weights("A+B+C+G")
    slow = [Fraction(1)] * 3 + [Fraction("0.2") / _WEIGHTS["G"]]
    what = "power of each member if G gives 0.2"
    yield exact(_D, "3.2.1, figure 1 left", what, "0.2", _power(weights, slow))
    loaded = [Fraction(1), Fraction("0.15") / _WEIGHTS["B"], Fraction(1), Fraction("0.2") / _WEIGHTS["G"]]
    what = "the same if a loaded B gives 0.15"
    yield exact(_D, "3.2.1, figure 1 right (3.8)", what, "0.15", _power(weights, loaded))
    wrong = "the slowest node is not the one with the least to give (erratum 7)"
    yield erratum(_D, "3.2.1 (3.4)", what, "0.2", _power(weights, loaded), wrong)


def _figure_2() -> Iterator[PaperRow]:
    kept = keep_pace([_WEIGHTS[kind] for kind in "GCBA"], [1] * 4)
    assert not isinstance(kept, NoPace), "each node is free"
    slices = listed(ceil(12 / pace) for pace in kept.paces)
    yield exact(_D, "3.2.2, figure 2 (3.13)", "slices of 12 that G, C, B and A use", "12, 6, 4, 3", slices)
