"""Measures of groups that share the nodes: how fair a policy is. The turnaround shows what this fairness costs."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from lockstep.simulation.machine import InterruptedRun, Ran

_TWO = 2


def worst_group(runs: Sequence[Ran], slowdowns: Sequence[float]) -> float:
    """Return the largest mean slow-down of a group, divided by the mean slow-down of all jobs; nan without groups."""
    by_group: dict[int, list[float]] = {}
    for run, slowdown in zip(runs, slowdowns, strict=True):
        if run.arrival.job.group is not None:
            by_group.setdefault(run.arrival.job.group.number, []).append(slowdown)
    means = [float(np.mean(of_one)) for of_one in by_group.values()]
    return max(means) / float(np.mean(slowdowns)) if means else math.nan


def share_index(runs: Sequence[Ran]) -> float:
    """Return Jain's index of the mean number of nodes of each group while it is in want, divided by its weight.

    A group is in want while jobs of this group and of another group wait. The index is 1 if all groups get nodes in
    proportion to their weights, and 1/n if one of n groups gets all nodes. It is nan if no two groups are ever in want
    at the same time.
    """
    seconds, held = Counter[int](), Counter[int]()
    weights = {one.number: one.weight for run in runs if (one := run.arrival.job.group) is not None}
    for length, waiting, nodes in _spans(runs):
        wanting = [group for group, count in waiting.items() if count]
        if len(wanting) >= _TWO:
            seconds.update(dict.fromkeys(wanting, length))
            held.update({group: length * nodes[group] for group in wanting})
    got = np.array([held[group] / seconds[group] / weights[group] for group in seconds])
    return float(got.sum() ** 2 / (len(got) * (got**2).sum())) if len(got) and got.any() else math.nan


def _spans(runs: Sequence[Ran]) -> Iterator[tuple[float, Mapping[int, int], Mapping[int, int]]]:
    """Yield each time between two events: its length in s, and by group the waiting jobs and the nodes in use."""
    events = sorted(_events(runs), key=lambda event: event[0])
    waiting, nodes, before = Counter[int](), Counter[int](), -math.inf
    for time, group, waits, holds in events:
        if time > before > -math.inf:
            yield time - before, waiting, nodes
        before = time
        waiting[group] += waits
        nodes[group] += holds


def _events(runs: Sequence[Ran]) -> Iterator[tuple[float, int, int, int]]:
    """Yield events: the time, the group, and by how much its number of waiting jobs and its number of nodes change."""
    for run in runs:
        group = run.arrival.job.group
        if group is None:
            continue
        yield run.submitted, group.number, 1, 0
        yield run.first_start, group.number, -1, 0
        attempts: list[InterruptedRun | Ran] = [*run.earlier, run]
        for one in attempts:
            yield one.start, group.number, 0, len(one.nodes)
            yield one.end, group.number, 0, -len(one.nodes)
