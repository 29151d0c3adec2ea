"""A sweep as gangs that the engine plans, at the operator's price: each by itself, or all with one common size."""

from enum import StrEnum
from typing import assert_never

import numpy as np

from coschedule import Promises, RunTimeLaw
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.simulation.machine import simulate
from lockstep.simulation.model.cluster import Policy
from lockstep.simulation.model.jobs import Arrival, FloatArray, Job
from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.policies.common_sized import CommonSized
from lockstep.simulation.policies.planned import PlannedPolicy
from lockstep.simulation.presence.office_hours import hours_of
from lockstep.simulation.sweeps.sweep import SimulatedSweep, SweepRun


class GangPolicy(StrEnum):
    """How a sweep becomes gangs: each run chooses its own size, or all have the common size."""

    SEPARATE = "separate"
    COMMON = "common"


def ran_as_gangs(sweep: SimulatedSweep, policy: GangPolicy, law: RunTimeLaw) -> list[SweepRun]:
    """Return how each run went, in the order of their ends. Gangs keep their sizes and nodes."""
    nodes, times, least = _nodes(sweep), _times(sweep), min(sweep.times)
    jobs = [
        Job(
            number=number,
            submitted=0.0,
            size=least,
            least=least,
            most=min(len(times), len(nodes.slowdowns)),
            times=times,
            sweep=0 if policy is GangPolicy.COMMON else None,
        )
        for number in range(len(sweep.ratios))
    ]
    arrivals = [Arrival(job, ratio) for job, ratio in zip(jobs, sweep.ratios, strict=True)]
    ran = simulate(arrivals, nodes, _policy(sweep, policy, law))
    return [SweepRun(one.arrival.job.number, 0, one.start, one.end) for one in ran]


def _policy(sweep: SimulatedSweep, policy: GangPolicy, law: RunTimeLaw) -> Policy:
    planned = PlannedPolicy(memory=PlanMemory(Promises.SLACK))
    match policy:
        case GangPolicy.SEPARATE:
            return planned
        case GangPolicy.COMMON:
            return CommonSized(policy=planned, sizes=sorted(sweep.times), law=law, most=sweep.replicas)
        case _:
            assert_never(policy)


def _times(sweep: SimulatedSweep) -> FloatArray:
    """List the times of 1, 2, … members: a size that no run may have is as slow as the largest one below it."""
    known = sweep.times
    members = range(1, max(known) + 1)
    below = [max((size for size in known if size <= count), default=min(known)) for count in members]
    return np.array([known[size] for size in below])


def _nodes(sweep: SimulatedSweep) -> SimulatedNodes:
    """The nodes without those of an alien program, which holds its largest size in the first cluster."""
    [first, *others] = sweep.clusters
    held = max(size for size in sweep.times if size < first.places) if sweep.alien else 0
    clusters = [first._replace(places=first.places - held), *others]
    slowdowns = np.sort(np.repeat([1 / one.speed for one in clusters], [one.places for one in clusters]))
    return SimulatedNodes(slowdowns, hours_of(None, len(slowdowns), np.random.default_rng(0)))
