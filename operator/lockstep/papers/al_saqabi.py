"""[S]: examples 1 to 3, figures 1 and 5, and counterexamples to what the paper claims of its algorithms."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from coschedule import (
    Allocation,
    AllocationMap,
    ExpandObjective,
    Pool,
    apportion,
    compress,
    compress_pools,
    expand,
    processor_exit,
    submit,
)
from lockstep.papers.row import Paper, PaperRow, as_any, erratum, exact, listed

_S = Paper.AL_SAQABI
_SIX = ("P1", "P2", "P3", "P4", "P5", "P6")
_FIGURE_5 = (
    ("p2", "p5", "p6"),
    ("p2", "p5", "p6"),
    (),
    ("p2", "p3", "p6"),
    ("p5", "p6"),
    ("p2",),
    ("p2", "p5"),
    ("p2", "p5", "p6", "p7", "p8", "p9"),
    (),
)


def rows() -> Iterator[PaperRow]:
    """All rows of the paper, in its order."""
    yield from _figure_1()
    yield from _turnarounds()
    yield from _fewest_processors()
    yield from _patterns()
    yield from _new_slices()


def _alike(names: Sequence[str]) -> Mapping[str, int]:
    return dict.fromkeys(names, 1)


def _alone(job: str, slice_: int, *names: str) -> Allocation:
    """Return a job with one piece on each of these processors, in one slice."""
    return Allocation(job=job, slices=(slice_,), counts=_alike(names))


def _map_of_figure_1() -> AllocationMap:
    return AllocationMap(
        speeds=_alike(_SIX),
        allocations=(
            _alone("J1", 1, *_SIX),
            _alone("J2", 2, *_SIX[:2]),
            _alone("J3", 2, *_SIX[2:]),
            _alone("J4", 3, "P1"),
            _alone("J5", 3, "P2"),
            _alone("J6", 3, "P3", "P4"),
            _alone("J7", 4, *_SIX[:4]),
            _alone("J8", 5, *_SIX),
        ),
    )


def _figure_1() -> Iterator[PaperRow]:
    before = _map_of_figure_1()
    free = listed(sorted(before.free[3]))
    yield exact(_S, "3, figure 1", "processors that are free in slice 3", "P5, P6", free)
    [j1] = (one for one in processor_exit(before, "P1").jobs if one.job == "J1")
    moves = "; ".join(sorted(f"{move.source} to {move.target}" for move in j1.moves))
    what = "pieces of J1 that move when P1 leaves"
    yield exact(_S, "3, figure 1", what, "P1 to P2; P5 to P3; P6 to P4", moves)
    grows = str(Fraction(j1.turnaround_after or 0) / Fraction(j1.turnaround_before or 1))
    yield exact(_S, "3, figure 1", "J1's turn-around after that, as a multiple", "2", grows)


def _turnarounds() -> Iterator[PaperRow]:
    one, three = as_any(apportion(20, (10, 1, 4, 3))), as_any(apportion(9, (4, 2, 1)))
    yield exact(_S, "4.1, example 1", "pieces of 20, speeds 10, 1, 4, 3", "12, 1, 4, 3", listed(one.counts.tolist()))
    yield exact(_S, "4.1, example 1", "their turn-around", "6/5", str(one.turnaround))
    yield exact(_S, "4.2, example 3", "turn-around of 9 pieces, speeds 4, 2, 1", "3/2", str(three.turnaround))
    for pieces, speeds, printed in ((2, (3, 2, 1), "2/3"), (3, (7, 2, 2), "1/2")):
        what = f"least turn-around of {pieces} pieces, speeds {listed(speeds)}"
        wrong = "MTAT is not optimal (erratum 3)"
        yield erratum(_S, "4.1, theorem 1", what, printed, str(as_any(apportion(pieces, speeds)).turnaround), wrong)


def _fewest_processors() -> Iterator[PaperRow]:
    for place, pieces, speeds, turnaround, printed in (
        ("4.2, example 2", 4, (1, 1, 1), Fraction(2), "2, 2, 0"),
        ("4.2, example 3", 9, (4, 2, 1), Fraction(3, 2), "6, 3, 0"),
    ):
        what = f"fewest processors: {pieces} pieces within {turnaround}, speeds {listed(speeds)}"
        yield exact(_S, place, what, printed, listed(_counts(pieces, speeds, turnaround)))
    kept = sum(count > 0 for count in _counts(3, (5, 3, 1), Fraction(2, 3)))
    what = "processors that 3 pieces need within 2/3, speeds 5, 3, 1"
    yield erratum(_S, "4.2, theorem 3", what, "2", str(kept), "Compression keeps one too many (erratum 4)")
    pools = as_any(compress_pools([Pool(pieces=4, speeds=[1]), Pool(pieces=4, speeds=[1, 1, 1, 1])]))
    needed = listed(len(pool.processors) for pool in pools.pools)
    what = "the same in two pools of 4 pieces, speeds 1 and 1, 1, 1, 1"
    wrong = "each pool has its own turn-around, but the job has the longest (erratum 4)"
    yield erratum(_S, "4.2, theorem 4", what, "1, 4", needed, wrong)


def _counts(pieces: int, speeds: Sequence[int], turnaround: Fraction) -> list[int]:
    counts: list[int] = as_any(compress(pieces, speeds, turnaround)).counts.tolist()
    return counts


def _patterns() -> Iterator[PaperRow]:
    alike = _alike([f"p{number}" for number in range(1, 10)])
    nine = as_any(expand(_FIGURE_5, alike, 3, objective=ExpandObjective.SIZE))
    pattern = f"{listed(nine.processors)} in t{', t'.join(str(one + 1) for one in nine.slices)}"
    yield exact(_S, "4.3, figure 5", "the largest regular pattern", "p2, p5, p6 in t1, t2, t8", pattern)
    two = as_any(expand((("p1", "p2", "p3"), ("p1", "p2", "p4")), alike, 2, objective=ExpandObjective.SIZE))
    what = "entries of the largest pattern, free {1, 2, 3} and {1, 2, 4}"
    yield erratum(_S, "4.3", what, "3", str(two.size), "only whole columns are tried (erratum 6)")
    columns = (("p1", "p2", "p3", "p4", "p5"), ("p1", "p2"))
    largest = as_any(expand(columns, alike, 1, objective=ExpandObjective.SIZE))
    best = as_any(expand(columns, alike, 1))
    what = "turn-around of one piece, free {1, 2, 3, 4, 5} and {1, 2}"
    wrong = "the largest pattern is not the best for every job (erratum 6)"
    yield erratum(_S, "4.3", what, str(largest.turnaround), str(best.turnaround), wrong)


def _new_slices() -> Iterator[PaperRow]:
    busy = AllocationMap(
        speeds=_alike("ab"), allocations=tuple(_alone(f"j{number}", number, "a", "b") for number in range(2))
    )
    what = "turn-around of two pieces on two processors in a third slice"
    wrong = "T_min/τ is less than the job takes alone; it is T_min·(τ + 1) (erratum 5)"
    ours = str(as_any(submit(busy, "new", 2)).after.turnaround("new"))
    yield erratum(_S, "4.3", what, "1/3", ours, wrong)
    half = AllocationMap(
        speeds=_alike("ab"), allocations=tuple(_alone(f"j{number}", number, "a") for number in range(3))
    )
    slices = str(len(as_any(submit(half, "new", 2)).after.slices))
    what = "slices after two pieces come, b free in each of three"
    wrong = "T_free and T_min are times under different numbers of slices (erratum 5)"
    yield erratum(_S, "4.4.1", what, "4", slices, wrong)
