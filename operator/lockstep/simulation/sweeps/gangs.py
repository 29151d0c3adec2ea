"""A sweep as gangs that the engine plans, at the operator's price: each by itself, or all with one common size."""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple, assert_never

import numpy as np

from coschedule import Promises, RunTimeLaw
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.simulation.machine import Ran, simulate
from lockstep.simulation.model.cluster import Policy
from lockstep.simulation.model.jobs import Arrival, FloatArray, Job
from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.policies.common_sized import CommonSized
from lockstep.simulation.policies.planned import PlannedPolicy
from lockstep.simulation.presence.office_hours import hours_of
from lockstep.simulation.sweeps.sweep import RunOfSweep, SimulatedSweep


class GangPolicy(StrEnum):
    """How a sweep becomes gangs.

    ``SEPARATE``: each run chooses its own size, and each waiting run counts as a waiting gang. ``ONCE``: each run
    chooses its own size, and all waiting runs together count as one gang. ``COMMON``: all runs have the common size,
    and all waiting runs count as one gang.
    """

    SEPARATE = "separate"
    ONCE = "once"
    COMMON = "common"


class RanAsGangs(NamedTuple):
    """The runs of a sweep, in the order of their ends, with times in s after its submission, and the other jobs."""

    runs: Sequence[RunOfSweep]
    others: Sequence[Ran]


def ran_as_gangs(
    sweep: SimulatedSweep, policy: GangPolicy, law: RunTimeLaw, others: Sequence[Arrival] = ()
) -> RanAsGangs:
    """Simulate a sweep that is submitted after half of the ``others``. Gangs keep their sizes and nodes."""
    nodes, submitted = _nodes(sweep), float(np.median([one.job.submitted for one in others])) if others else 0.0
    runs = _arrivals(sweep, policy, len(nodes.slowdowns), submitted)
    behind = [one._replace(job=replace(one.job, number=one.job.number + len(runs))) for one in others]
    ran = simulate([*runs, *behind], nodes, _policy(sweep, policy, law))
    of_sweep = [one for one in ran if one.arrival.job.number < len(runs)]
    return RanAsGangs(
        [RunOfSweep(one.arrival.job.number, 0, one.start - submitted, one.end - submitted) for one in of_sweep],
        [one for one in ran if one.arrival.job.number >= len(runs)],
    )


def _arrivals(sweep: SimulatedSweep, policy: GangPolicy, places: int, submitted: float) -> list[Arrival]:
    times, least = _times(sweep), min(sweep.times)
    first = Job(
        number=0,
        submitted=submitted,
        size=least,
        least=least,
        most=min(len(times), places),
        times=times,
        sweep=None if policy is GangPolicy.SEPARATE else 0,
    )
    return [Arrival(replace(first, number=number), ratio) for number, ratio in enumerate(sweep.ratios)]


def _policy(sweep: SimulatedSweep, policy: GangPolicy, law: RunTimeLaw) -> Policy:
    planned = PlannedPolicy(memory=PlanMemory(Promises.SLACK))
    match policy:
        case GangPolicy.SEPARATE | GangPolicy.ONCE:
            return planned
        case GangPolicy.COMMON:
            return CommonSized(policy=planned, sizes=sorted(sweep.times), law=law, most=sweep.replicas)
        case _:
            assert_never(policy)


def _times(sweep: SimulatedSweep) -> FloatArray:
    """List the times of 1, 2, … members; a size that is not allowed is as slow as the largest allowed size below."""
    known = sweep.times
    members = range(1, max(known) + 1)
    below = [max((size for size in known if size <= count), default=min(known)) for count in members]
    return np.array([known[size] for size in below])


def _nodes(sweep: SimulatedSweep) -> SimulatedNodes:
    """Return the nodes, without the nodes of an alien program.

    The alien program has the largest size that leaves at least one node of the first cluster to the sweep.
    """
    [first, *others] = sweep.clusters
    held = max(size for size in sweep.times if size < first.places) if sweep.alien else 0
    clusters = [first._replace(places=first.places - held), *others]
    slowdowns = np.sort(np.repeat([1 / one.speed for one in clusters], [one.places for one in clusters]))
    return SimulatedNodes(slowdowns, hours_of(None, len(slowdowns), np.random.default_rng(0)))
