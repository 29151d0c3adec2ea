"""[C] 7.4.5, figures 7.8 to 7.13: policies for many runs of one program.

The scan has lost the curves, so the rows check the paper's sentences about them. Two clusters have 24 workstations
each. A run takes 2.5 times what table 4.9 measured for 0.2 million units of time: 553 s, 223 s and 92 s with 1, 3 and 9
workstations. There are no random numbers.
"""

from collections.abc import Iterator, Sequence

from lockstep.papers.row import Paper, PaperRow, Printed, Tolerance, erratum, in_shape
from lockstep.simulation.sweeps.replicas import ReplicaPolicy, replicated
from lockstep.simulation.sweeps.sweep import SimulatedSweep, StationCluster

_TIMES = {1: 553 * 2.5, 3: 223 * 2.5, 9: 92 * 2.5}
_ALIKE, _TWO_SPEEDS = (StationCluster(24, 1.0),) * 2, (StationCluster(30, 1.0), StationCluster(6, 3.0))
_TOLERANCE = Tolerance(0.01)
_SIMILAR, _SOONER, _LATER = Printed(1, 1, "similar"), Printed(0, 0.95, "sooner"), Printed(1.05, 2, "later")


def rows() -> Iterator[PaperRow]:
    """Yield rows that check the sentences of 7.4.5 about the policies of 7.4.4."""
    yield from _static_and_dynamic()
    yield from _beside_an_alien()
    yield from _coalition()


def _static_and_dynamic() -> Iterator[PaperRow]:
    for replicas, printed in ((2, _SIMILAR), (3, _SIMILAR), (4, _SIMILAR), (5, _SOONER)):
        what = f"end of ten runs with {replicas} replicas: FNI-DA / FNI-SA"
        found = _end(ReplicaPolicy.DYNAMIC, replicas) / _end(ReplicaPolicy.STATIC, replicas)
        yield in_shape(Paper.SHUM, "7.4.5, figure 7.8", what, printed, found, _TOLERANCE)
    for figure, what, fewer, more in (
        ("7.9", "runs of twice the length", _saved(length=1), _saved(length=2)),
        ("7.10", "thirty runs in the place of five", _saved(runs=5), _saved(runs=30)),
    ):
        saves = f"what FNI-DA saves with five replicas: {what}"
        yield in_shape(Paper.SHUM, f"7.4.5, figure {figure}", saves, Printed(1.05, 9, "more"), more / fewer, _TOLERANCE)


def _beside_an_alien() -> Iterator[PaperRow]:
    for policy, printed in ((ReplicaPolicy.STATIC, _LATER), (ReplicaPolicy.DYNAMIC, _SIMILAR)):
        what = f"end of ten runs by {policy.upper()} with three replicas: beside another program / without it"
        found = _end(policy, 3, is_alien=True) / _end(policy, 3)
        yield in_shape(Paper.SHUM, "7.4.5, figure 7.11", what, printed, found, _TOLERANCE)


def _coalition() -> Iterator[PaperRow]:
    """Yield rows for clusters of two speeds; the paper does not print the speed of the Alphas, so it is a guess."""
    nine, ten = (
        _end(ReplicaPolicy.COALITION, 3, runs=runs, clusters=_TWO_SPEEDS)
        / _end(ReplicaPolicy.DYNAMIC, 3, runs=runs, clusters=_TWO_SPEEDS)
        for runs in (9, 10)
    )
    what = "end of nine runs: FNI-DAC / FNI-DA"
    yield in_shape(Paper.SHUM, "7.4.5, figure 7.12", what, Printed(0, 0.98, "sooner"), nine, _TOLERANCE)
    ours = "later" if ten > 1 else "sooner"
    wrong = "a coalition is not always better (erratum 8f)"
    yield erratum(Paper.SHUM, "7.4.4", "the same with ten runs", "sooner", ours, wrong)


def _saved(*, runs: int = 10, length: float = 1.0) -> float:
    dynamic = _end(ReplicaPolicy.DYNAMIC, 5, runs=runs, length=length)
    return _end(ReplicaPolicy.STATIC, 5, runs=runs, length=length) - dynamic


def _end(
    policy: ReplicaPolicy,
    replicas: int,
    *,
    runs: int = 10,
    length: float = 1.0,
    clusters: Sequence[StationCluster] = _ALIKE,
    is_alien: bool = False,
) -> float:
    """Return the end of the last run, in s; a run has ``length`` times half a million units of time."""
    sweep = SimulatedSweep(
        ratios=[1.0] * runs,
        times={size: length * seconds for size, seconds in _TIMES.items()},
        replicas=replicas,
        clusters=clusters,
        alien=is_alien,
    )
    return max(run.end for run in replicated(sweep, policy))
