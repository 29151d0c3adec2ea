"""Sweeps as tables for people: means over the seeds, with their 95 % intervals."""

import math
from collections.abc import Iterator, Sequence

from lockstep.simulation.averages import average, ratio
from lockstep.simulation.sweeps.comparison import SweepMeasures, SweepResults

_HEADS = ("turnaround", "of the first", "speed-up", "mean of replicas", "best of replicas", "counted runs")
_HEADS_OF_OTHERS = ("other jobs", "of the first")
_WIDTH = 18


def sweep_table(results: SweepResults) -> Iterator[str]:
    """Format the results of one number of replicas, a line for each policy."""
    first = list(next(iter(results.values())).values())
    heads = _HEADS if all(math.isnan(one.others) for one in first) else (*_HEADS, *_HEADS_OF_OTHERS)
    yield f"{'policy':<12}" + "".join(f"{head:>{_WIDTH}}" for head in heads)
    for policy, by_seed in results.items():
        cells = _cells(list(by_seed.values()), first)
        yield f"{policy:<12}" + "".join(f"{cell:>{_WIDTH}}" for cell in cells)


def _cells(measures: Sequence[SweepMeasures], first: Sequence[SweepMeasures]) -> Iterator[str]:
    turnarounds = [one.turnaround for one in measures]
    yield average(turnarounds).formatted(0, unit=" s")
    yield ratio(turnarounds, [one.turnaround for one in first]).formatted(2)
    yield average([one.speedup for one in measures]).formatted(1)
    yield average([one.mean_of_replicas for one in measures]).formatted(1)
    yield average([one.most_of_replicas for one in measures]).formatted(1)
    yield average([one.counted for one in measures]).formatted(2)
    others = [one.others for one in measures]
    if not all(map(math.isnan, others)):
        yield average(others).formatted(0, unit=" s")
        yield ratio(others, [one.others for one in first]).formatted(2)
