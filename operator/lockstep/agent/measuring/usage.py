"""Computes the use of the processors between two readings of the counters."""

from collections.abc import Sequence
from dataclasses import dataclass

from lockstep.agent.measuring.cgroups import Counted
from lockstep.agent.measuring.measured import Usage
from lockstep.agent.measuring.processors import Processors


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterReading:
    """All counters at one time; ``at`` is monotonic."""

    at: float
    counted: Counted
    processors: Processors


def usage_between(before: CounterReading, after: CounterReading) -> Usage:
    """Return the usage between two readings; ``after`` must be later.

    Counters of different cgroups are read one after the other, and some are wrong for a moment. So each part is capped
    by the whole: members by all pods, pods by the node, the node by its processors.
    """
    seconds = after.at - before.at
    cores = float(after.processors.cores)
    steal = min(_since(before.processors.steal, after.processors.steal) / seconds, cores)
    node = min(_since(before.counted.node, after.counted.node) / seconds, cores - steal)
    pods = min(_since(before.counted.pods, after.counted.pods) / seconds, node)
    gang = min(_gang_seconds(before.counted, after.counted) / seconds, pods)
    return Usage(
        at=after.at,
        cores_total=cores,
        cores_gang=gang,
        cores_other_pods=pods - gang,
        cores_host=node - pods,
        steal=steal,
        free=cores - steal - node,
        cpu_pressure=_pressure(before.processors.waited, after.processors.waited, seconds),
    )


def _since(before: float, after: float) -> float:
    """The increase of a counter.

    A counter that went backwards has restarted at 0, since its cgroup was created again.
    """
    return after - before if after >= before else after


def _gang_seconds(before: Counted, after: Counted) -> float:
    """Processor seconds that members used. New members count from their start.

    The last seconds of a deleted member are counted as seconds of other pods. A pod that existed before and is a member
    only now counts from the next reading on, since its counter includes earlier time.
    """
    return sum(
        _since(before.gang_pods.get(uid, 0.0), seconds)
        for uid, seconds in after.gang_pods.items()
        if uid in before.gang_pods or uid not in before.all_pods
    )


def _pressure(before: float | None, after: float | None, seconds: float) -> float | None:
    if before is None or after is None:
        return None
    return min(_since(before, after) / seconds, 1.0)


def mean_usage(usages: Sequence[tuple[float, Usage]]) -> Usage | None:
    """Return the mean of (seconds, usage) pairs, the oldest first; None if there are none."""
    if not usages:
        return None
    pressures = [usage.cpu_pressure for _, usage in usages]
    known = [pressure for pressure in pressures if pressure is not None]
    weights = [lasted for lasted, _ in usages]
    return Usage(
        at=usages[-1][1].at,
        cpu_pressure=_mean(weights, known) if len(known) == len(pressures) else None,
        **{name: _mean(weights, [getattr(usage, name) for _, usage in usages]) for name in _IN_CORES},
    )


_IN_CORES = ("cores_total", "cores_gang", "cores_other_pods", "cores_host", "steal", "free")


def _mean(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
