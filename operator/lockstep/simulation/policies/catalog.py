"""The policies by name."""

from collections.abc import Callable, Mapping
from functools import partial

from coschedule import Promises
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.facts.sizing import Sizing
from lockstep.simulation.model.cluster import Cluster, Policy
from lockstep.simulation.model.jobs import Job
from lockstep.simulation.policies.blind import Blind, in_any_order
from lockstep.simulation.policies.by_progress import ByProgress
from lockstep.simulation.policies.elastic import Elastic
from lockstep.simulation.policies.greedy import Behind, Greedy, Range
from lockstep.simulation.policies.planned import PlannedPolicy
from lockstep.simulation.policies.sharing import SimulatedSharing
from lockstep.simulation.policies.wary import Heedless, Unowned


def _rigid(job: Job) -> Range:
    return Range(job.size, job.size)


def _as_many_as_fit(job: Job) -> Range:
    return Range(job.least, job.most)


def _at_most_its_own(job: Job) -> Range:
    return Range(job.least, job.size)


def _blind(sizing: SizingPolicy, idle: Callable[[Cluster], list[int]]) -> Blind:
    return Blind(policy=PlannedPolicy(sizing=sizing), idle=idle)


def _conservative() -> PlannedPolicy:
    memory = PlanMemory(Promises.CONSERVATIVE)
    return PlannedPolicy(sizing=SizingPolicy(sizing=Sizing.FASTEST), is_rigid=True, memory=memory)


def _with_slack(sizing: SizingPolicy) -> PlannedPolicy:
    return PlannedPolicy(sizing=sizing, memory=PlanMemory(Promises.SLACK))


def _fair(sizing: SizingPolicy, *, prices_use: bool = False) -> PlannedPolicy:
    sharing = SimulatedSharing(prices_use=prices_use)
    return PlannedPolicy(sizing=sizing, sharing=sharing, memory=PlanMemory(Promises.SLACK))


def _heedless(sizing: SizingPolicy) -> Heedless:
    return Heedless(policy=_with_slack(sizing))


def _unowned(sizing: SizingPolicy) -> Unowned:
    return Unowned(policy=_with_slack(sizing))


def _elastic(sizing: SizingPolicy) -> Elastic:
    memory = PlanMemory(Promises.SLACK)
    return Elastic(planned=PlannedPolicy(sizing=sizing, memory=memory), memory=memory)


def _by_progress(sizing: SizingPolicy) -> ByProgress:
    memory = PlanMemory(Promises.SLACK)
    return ByProgress(planned=PlannedPolicy(sizing=sizing, memory=memory, knows_no_times=True), memory=memory)


ONLY_IF_ASKED_FOR = ("elastic", "by-progress", "fair", "fair-price", "heedless", "unowned")
"""Policies that take long, know no run times, or differ from ``lockstep`` only with groups or owners."""


def policies(price_factor: float = SizingPolicy().factor) -> Mapping[str, Callable[[], Policy]]:
    """Return a factory of each policy by name; each instance is for one simulation.

    These policies use the price factor: ``lockstep``, ``elastic``, ``by-progress``, ``fair``, ``fair-price``,
    ``balanced``, ``blind``, ``blind-fastest``, ``heedless`` and ``unowned``. The default is the operator's factor.
    """
    return {
        "fcfs": partial(Greedy, range=_rigid, behind=Behind.NO_JOB),
        "easy": partial(Greedy, range=_rigid, behind=Behind.JOBS_THAT_DO_NOT_DELAY_IT),
        "conservative": _conservative,
        "slurm-range": partial(Greedy, range=_as_many_as_fit, behind=Behind.JOBS_THAT_DO_NOT_DELAY_IT),
        "partial": partial(Greedy, range=_at_most_its_own, behind=Behind.ANY_JOB),
        "fewest": partial(PlannedPolicy, sizing=SizingPolicy(sizing=Sizing.FEWEST)),
        "fastest": partial(PlannedPolicy, sizing=SizingPolicy(sizing=Sizing.FASTEST)),
        "lockstep": partial(_with_slack, SizingPolicy(factor=price_factor)),
        "elastic": partial(_elastic, SizingPolicy(factor=price_factor)),
        "by-progress": partial(_by_progress, SizingPolicy(factor=price_factor)),
        "fair": partial(_fair, SizingPolicy(factor=price_factor)),
        "fair-price": partial(_fair, SizingPolicy(factor=price_factor), prices_use=True),
        "balanced": partial(PlannedPolicy, sizing=SizingPolicy(factor=price_factor)),
        "blind": partial(_blind, SizingPolicy(factor=price_factor), in_any_order),
        "blind-fastest": partial(_blind, SizingPolicy(factor=price_factor), Cluster.idle),
        "heedless": partial(_heedless, SizingPolicy(factor=price_factor)),
        "unowned": partial(_unowned, SizingPolicy(factor=price_factor)),
    }
