"""Makes one plan on frozen facts, in a thread beside the event loop."""

import logging
from dataclasses import replace
from typing import NamedTuple

from coschedule import Plan, Preemption, Snapshot, plan, preempt
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.snapshot.snapshots import Rescue

log = logging.getLogger(__name__)


class Evicting(NamedTuple):
    """A plan and its preemptions; ``against_budgets``: these violate PodDisruptionBudgets."""

    plan: Plan
    preemptions: tuple[Preemption, ...] = ()
    against_budgets: bool = False


class Made(NamedTuple):
    """A plan and its snapshot; the preemptions are as in ``Evicting``."""

    snapshot: Snapshot
    plan: Plan
    preemptions: tuple[Preemption, ...]
    against_budgets: bool = False


def make_plan(facts: Snapshot, memory: PlanMemory, rescue: Rescue) -> Made:
    """Make the plan and choose the gangs to evict for it."""
    snapshot = memory.remembered_by(facts)
    evicting = with_evictions(snapshot, plan(snapshot, rescue=rescue), rescue)
    memory.record(snapshot, evicting.plan)
    return Made(snapshot, *evicting)


def with_evictions(snapshot: Snapshot, made: Plan, rescue: Rescue) -> Evicting:
    """Choose the gangs to evict for a plan; if the choice raises, none are evicted."""
    try:
        return choose_victims(snapshot, made, rescue)
    except Exception:
        log.exception("whom to evict for more urgent gangs can't be told")
        return Evicting(made)


def choose_victims(snapshot: Snapshot, made: Plan, rescue: Rescue | None = None) -> Evicting:
    """Choose the gangs to evict for a plan: within budgets if that helps any gang, else against them.

    As in kube-scheduler, a budget protects its pods only while others can be evicted instead: the cluster sets
    priorities, a tenant sets budgets.
    """
    within = Evicting(*preempt(snapshot, made, rescue=rescue))
    if within.preemptions or not snapshot.budgets:
        return within
    unprotected = tuple(replace(gang, disrupts=()) for gang in snapshot.running)
    anyhow = preempt(replace(snapshot, running=unprotected), made, rescue=rescue)
    return Evicting(*anyhow, against_budgets=bool(anyhow.preemptions))
