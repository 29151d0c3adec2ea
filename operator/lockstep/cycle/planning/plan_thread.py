"""One plan, made on frozen facts: in a thread beside the event loop."""

import logging
from dataclasses import replace
from typing import NamedTuple

from coschedule import Plan, Preemption, Snapshot, plan, preempt
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.snapshot.snapshots import Rescue

log = logging.getLogger(__name__)


class Evicting(NamedTuple):
    """A plan, and who gives way in it; ``against_budgets``: PodDisruptionBudgets would not have it."""

    plan: Plan
    preemptions: tuple[Preemption, ...] = ()
    against_budgets: bool = False


class Made(NamedTuple):
    """What was planned, and on what; who gives way is as in ``Evicting``."""

    snapshot: Snapshot
    plan: Plan
    preemptions: tuple[Preemption, ...]
    against_budgets: bool = False


def make_plan(facts: Snapshot, memory: PlanMemory, rescue: Rescue) -> Made:
    """Make the plan, and choose who gives way in it."""
    snapshot = memory.remembered_by(facts)
    evicting = with_evictions(snapshot, plan(snapshot, rescue=rescue), rescue)
    memory.note(snapshot, evicting.plan)
    return Made(snapshot, *evicting)


def with_evictions(snapshot: Snapshot, made: Plan, rescue: Rescue) -> Evicting:
    """Choose who gives way in a plan; where the choice fails, no gang does."""
    try:
        return who_gives_way(snapshot, made, rescue)
    except Exception:
        log.exception("whom to evict for more urgent gangs can't be told")
        return Evicting(made)


def who_gives_way(snapshot: Snapshot, made: Plan, rescue: Rescue | None = None) -> Evicting:
    """Choose who gives way in a plan, within budgets where that is possible for any gang.

    As with kube-scheduler, a budget protects its pods as long as others can give way in their place, and no longer: the
    priority is the cluster's word, the budget a tenant's.
    """
    within = Evicting(*preempt(snapshot, made, rescue=rescue))
    if within.preemptions or not snapshot.budgets:
        return within
    unprotected = tuple(replace(gang, disrupts=()) for gang in snapshot.running)
    anyhow = preempt(replace(snapshot, running=unprotected), made, rescue=rescue)
    return Evicting(*anyhow, against_budgets=bool(anyhow.preemptions))
