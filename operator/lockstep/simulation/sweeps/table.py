"""Sweeps and dealt pieces as tables for people: means over the seeds, with their 95 % intervals."""

from collections.abc import Iterator, Sequence

from lockstep.simulation.averages import average, ratio
from lockstep.simulation.sweeps.comparison import SweepMeasures, SweepResults

_WIDTHS = (20, 16, 16, 18, 18, 16)


def sweep_table(results: SweepResults) -> Iterator[str]:
    """Format the results of one number of replicas, a line for each policy."""
    heads = ("turnaround", "of the first", "speed-up", "mean of replicas", "most of replicas", "counted runs")
    yield f"{'policy':<12}" + "".join(f"{head:>{width}}" for head, width in zip(heads, _WIDTHS, strict=True))
    first = list(next(iter(results.values())).values())
    for policy, by_seed in results.items():
        cells = _cells(list(by_seed.values()), first)
        yield f"{policy:<12}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))


def _cells(measures: Sequence[SweepMeasures], first: Sequence[SweepMeasures]) -> Iterator[str]:
    turnarounds = [one.turnaround for one in measures]
    yield average(turnarounds).formatted(0, unit=" s")
    yield ratio(turnarounds, [one.turnaround for one in first]).formatted(2)
    yield average([one.speedup for one in measures]).formatted(1)
    yield average([one.mean_of_replicas for one in measures]).formatted(1)
    yield average([one.most_of_replicas for one in measures]).formatted(1)
    yield average([one.counted for one in measures]).formatted(2)
