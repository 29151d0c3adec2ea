"""Computes one plan on frozen facts, in a thread beside the event loop."""

import logging
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol, TypeVar

from coschedule import (
    Behind,
    GangKey,
    Placement,
    Plan,
    Preemption,
    SizeChange,
    Snapshot,
    placements,
    plan,
    plan_behind,
    preempt,
    resize,
    with_smaller_sizes,
)
from lockstep.cycle.planning.decided import NO_ELASTIC_GANGS, ElasticGangs
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.snapshot.snapshots import Rescue

T = TypeVar("T")

log = logging.getLogger(__name__)


class Runner(Protocol):
    """Runs a computation on frozen facts, beside the event loop if that is worth it."""

    def __call__(self, work: Callable[[], T], /) -> Awaitable[T]:
        """Run the computation, and return its result."""


class Evicting(NamedTuple):
    """A plan and its preemptions. ``against_budgets`` says whether these violate PodDisruptionBudgets.

    ``tried_in_vain`` has the gangs that found no victims, if gangs behind them were therefore not tried.
    """

    plan: Plan
    preemptions: tuple[Preemption, ...] = ()
    tried_in_vain: frozenset[GangKey] = frozenset()
    against_budgets: bool = False


class Made(NamedTuple):
    """A plan and its snapshot; the preemptions are as in ``Evicting``.

    ``changes`` are the changes of size that the plan assumes. Sizes must be chosen again at ``again`` at the latest.
    ``in_vain`` says that additional plans, in which gangs of unknown end give room back, were computed and did not
    help. ``ahead`` has the placements of gangs that are planned ahead. ``tried_in_vain`` is as in ``Evicting``.
    """

    snapshot: Snapshot
    plan: Plan
    preemptions: tuple[Preemption, ...]
    against_budgets: bool = False
    changes: tuple[SizeChange, ...] = ()
    again: float = math.inf
    in_vain: bool = False
    ahead: tuple[Placement, ...] = ()
    tried_in_vain: frozenset[GangKey] = frozenset()


class Sized(NamedTuple):
    """A plan for ``snapshot``. In this snapshot, ``changes`` and ``starts`` have already happened.

    So the plan itself does not contain ``starts``. The snapshot has the sizes to which gangs may shrink instead of
    being evicted for more urgent ones. Some of ``starts`` begin later, when gangs that change their size have left
    their nodes. ``again`` and ``in_vain`` are as in ``Made``.
    """

    snapshot: Snapshot
    plan: Plan
    changes: tuple[SizeChange, ...] = ()
    starts: tuple[Placement, ...] = ()
    again: float = math.inf
    in_vain: bool = False


def make_plan(
    facts: Snapshot,
    memory: PlanMemory,
    rescue: Rescue,
    elastic: ElasticGangs = NO_ELASTIC_GANGS,
    behind: Sequence[Behind] = (),
) -> Made:
    """Choose the sizes of gangs that may change them, make the plan, and choose the gangs to evict for it.

    The gangs ``behind`` are planned last, after all gangs that may run.
    """
    sized = with_sizes(memory.remembered_by(facts), elastic, rescue)
    evicting = with_evictions(sized.snapshot, sized.plan, rescue)
    memory.record(sized.snapshot, evicting.plan)
    made = replace(evicting.plan, decisions=(*sized.starts, *evicting.plan.decisions))
    return Made(
        sized.snapshot,
        made,
        evicting.preemptions,
        evicting.against_budgets,
        changes=sized.changes,
        again=sized.again,
        in_vain=sized.in_vain,
        ahead=() if evicting.preemptions else _ahead(sized.snapshot, evicting.plan, behind),
        tried_in_vain=evicting.tried_in_vain,
    )


def _ahead(snapshot: Snapshot, made: Plan, behind: Sequence[Behind]) -> tuple[Placement, ...]:
    """Plan the gangs behind a plan. If that raises, there is no estimate of their starts."""
    if not behind:
        return ()
    try:
        return plan_behind(snapshot, made, behind)
    except Exception:
        log.exception("gangs that wait for other gangs can't be planned ahead")
        return ()


def with_sizes(snapshot: Snapshot, elastic: ElasticGangs, rescue: Rescue) -> Sized:
    """Choose sizes together with the plan if some gangs may change theirs. If the choice raises, no size changes."""
    if elastic.runs or elastic.waiting:
        try:
            found = resize(snapshot, elastic.runs, elastic.waiting, rescue=rescue, may_give=elastic.may_give)
            starts = (*placements(snapshot, found.sizes, elastic.runs), *found.placed)
            after = with_smaller_sizes(found.after, elastic.runs)
            return Sized(after, found.plan, found.sizes.changes, starts, found.again, found.in_vain)
        except Exception:
            log.exception("the sizes of running gangs can't be chosen")
    return Sized(snapshot, plan(snapshot, rescue=rescue))


def with_evictions(snapshot: Snapshot, made: Plan, rescue: Rescue) -> Evicting:
    """Choose the gangs to evict for gangs of a plan. If the choice raises, none is evicted."""
    try:
        return choose_victims(snapshot, made, rescue)
    except Exception:
        log.exception("the search for gangs to evict for more urgent gangs failed")
        return Evicting(made)


def choose_victims(snapshot: Snapshot, made: Plan, rescue: Rescue | None = None) -> Evicting:
    """Choose the gangs to evict for gangs of a plan: within budgets if that helps any gang, else against them.

    As in kube-scheduler, a budget protects its pods only while others can be evicted instead: the cluster sets
    priorities, and a tenant sets budgets.
    """
    within = Evicting(*preempt(snapshot, made, rescue=rescue))
    if within.preemptions or not snapshot.budgets:
        return within
    unprotected = tuple(replace(gang, disrupts=()) for gang in snapshot.running)
    anyhow = preempt(replace(snapshot, running=unprotected), made, rescue=rescue)
    found = Evicting(*anyhow, against_budgets=bool(anyhow.preemptions))
    return found._replace(tried_in_vain=found.tried_in_vain | within.tried_in_vain)
