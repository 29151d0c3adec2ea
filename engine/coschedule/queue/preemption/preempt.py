"""Preemption: running gangs give way, so that more urgent gangs start. They are evicted, or shrink to fewer members.

Problem: a gang cannot start now. Without some gangs of strictly lower priority, or with some of these at a smaller
size, it would start sooner, by more than ``WORTH_SECONDS``. Choose the victims, which are the gangs that give way. For
each victim, choose an eviction or one of its smaller sizes. If that does not help, gangs of its own priority may give
way too, if their groups have borrowed from its group (``may_give_way.py``).

Objective: the cheapest set (``victims.py``) with which the gang starts as soon as the victims have left. No gang of its
priority or above may start later than planned. Cheapest means least lost work, then fewest gangs, then youngest, then
fewest members that leave. An eviction loses the run time so far, in member-seconds. A gang that shrinks loses the
restart time of all of its members. If the members that stay continue, it loses only the work that all members repeat,
or nothing. Candidates are gangs that use resources that the gang could use, on nodes that it may use.

Method: try sets of evictions from the cheapest on. Skip sets that leave too little room (``room.py``). For each other
set, make the plan without its gangs (``landing.py``), so that no gang gives way in vain. This is exact for up to ten
candidates (``sets.py``). With more candidates, take those with the least cost for the room that they leave, until the
room is enough. Then spare victims that are not needed, the most expensive first. No victim of the result can be spared,
but another set may cost less. If some candidates may shrink, then try sets with these candidates too, as long as they
cost less than the evictions. So a gang for which evictions help starts in any case. That is exact for up to 1,023 sets.
If there are more, gangs shrink as far as they may at first, and then no further than needed. The number of plans is
limited (``MOST_PLANNED``): where many sets fail, the rest is not tried. If many gangs wait in front or behind, the
search plans the gang without most of them. Then the plan without the victims is made once for all gangs. If it delays a
gang that it must not delay, the victims are not taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from coschedule.queue.keeping.memory import with_starts_promised
from coschedule.queue.plan import plan
from coschedule.queue.planner.planner import Rescue
from coschedule.queue.preemption.landing import WORTH_SECONDS, PlanningEffort, is_hopeless, start_of
from coschedule.queue.preemption.may_give_way import reclaimed, taken_from
from coschedule.queue.preemption.search import CheckedVictims, VictimSearch
from coschedule.queue.preemption.sets import Victims
from coschedule.queue.preemption.shrinking import ShrinkingGang, shrinks_for
from coschedule.queue.preemption.worlds import awaiting, without
from coschedule.queue.problem.decisions import Decision, Placement, Plan
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.size_change import SizeChange
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.shares.dealing import planning_order
from coschedule.queue.shares.taking_back import TakenBack, without_taken

MOST_PLANNED = 512
"""The most gangs that may be planned in the search for victims and for the plans after it.

If gangs of several tenants could preempt, half of this number is reserved for these tenants in equal parts.
"""
MOST_PREEMPTIONS = 4
"""The most gangs for which others give way in one plan; further gangs wait for the next plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """The keys of the gangs that are evicted for ``gang``, and the member-seconds of work that are lost.

    ``shrinks`` are the changes of size of gangs that continue with fewer members. ``reclaimed`` are the resources that
    the group of ``gang`` takes back from gangs of the same priority.
    """

    gang: GangKey
    victims: tuple[GangKey, ...]
    lost: float
    shrinks: tuple[SizeChange, ...] = ()
    reclaimed: tuple[TakenBack, ...] = ()


class Preempting(NamedTuple):
    """The preemptions, and the plan in which the victims leave after their grace.

    ``in_vain`` has the gangs that were tried and found no victims, if gangs behind them were therefore not tried.
    """

    plan: Plan
    preemptions: tuple[Preemption, ...]
    in_vain: frozenset[GangKey] = frozenset()


def preempt(snapshot: Snapshot, made: Plan, *, rescue: Rescue | None = None) -> Preempting:
    """Decide which gangs give way to gangs that do not start now in the plan that was ``made``.

    Guarantees:

    - If gangs give way to another gang, this gang starts in the returned plan when they have left.
    - No gang of its priority or above starts later than before.
    - Only gangs of lower priority give way, or gangs of the same priority whose groups then still hold their shares.
    - If a gang shrinks, no promise breaks that would hold if the gang was evicted.
    - The same snapshot gives the same result.

    ``rescue`` is as in ``plan``.
    """
    preemptions: list[Preemption] = []
    effort = PlanningEffort(MOST_PLANNED)
    while len(preemptions) < MOST_PREEMPTIONS:
        found = _most_urgent(snapshot, made, effort, rescue)
        if found is None:
            break
        preemptions.append(_preemption(found, snapshot.now))
        snapshot, made = _carried_out(snapshot, made, found)
        effort.spend(len(snapshot.gangs))
    in_vain = effort.tried.difference(one.gang for one in preemptions) if effort.is_cut_short else ()
    return Preempting(made, tuple(preemptions), frozenset(in_vain))


class _Found(NamedTuple):
    """A gang and its victims, and ``later``: the plan in which the victims leave.

    ``later`` is without the gangs in front that start now.
    """

    gang: PendingGang
    victims: Victims
    later: Plan


def _most_urgent(snapshot: Snapshot, made: Plan, effort: PlanningEffort, rescue: Rescue | None) -> _Found | None:
    """Return the first gang of the queue to which others can give way; None if none is found."""
    for tries, (gang, checked) in enumerate(_with_victims(snapshot, made, effort), 1):
        for victims in checked.choices:
            later = plan(checked.landing.after(victims), rescue=rescue)
            if checked.landing.confirms(victims, later):
                return _Found(gang, victims, later)
            effort.spend_in_vain(len(later.decisions), gang.key.namespace)
        if tries == MOST_PREEMPTIONS:
            effort.is_cut_short = True
            break
    return None


def _with_victims(
    snapshot: Snapshot, made: Plan, effort: PlanningEffort
) -> Iterator[tuple[PendingGang, CheckedVictims]]:
    """Generate the gangs for which victims are found, in the order of the queue, as far as the effort suffices."""
    if not snapshot.running:
        return
    bound = with_starts_promised(snapshot, made) if snapshot.promises is Promises.SLACK else snapshot
    starts = {decision.gang: start_of(decision) for decision in made.decisions if not is_hopeless(decision)}
    ordered = [gang for gang in planning_order(bound) if gang.key in starts]
    asking = {gang.key for gang in ordered if gang.may_preempt and _waits_long(gang, starts[gang.key], snapshot.now)}
    effort.reserve({key.namespace for key in asking})
    search = VictimSearch(bound, made, effort)
    for gang in ordered:
        if gang.key in asking and effort.allows_one_of(gang.key.namespace):
            checked = search.victims_for(gang)
            if checked is not None:
                yield gang, checked


def _carried_out(snapshot: Snapshot, made: Plan, found: _Found) -> tuple[Snapshot, Plan]:
    """Return the snapshot after a preemption, and its plan; gangs in front that start now keep their placements."""
    until = max(victim.gone_by(snapshot.now) for victim in found.victims)
    decisions = {decision.gang: decision for decision in made.decisions}
    for decision in found.later.decisions:
        decisions[decision.gang] = _as_promised(decision, decisions[decision.gang], snapshot.promises)
    ordered = tuple(decisions[one.key] for one in planning_order(snapshot))
    after = awaiting(without(snapshot, found.victims), found.gang.key, until)
    shares = without_taken(snapshot.shares, map(taken_from, found.victims))
    return replace(after, shares=shares), replace(made, decisions=ordered)


def _as_promised(decision: Decision, before: Decision, promises: Promises) -> Decision:
    """Return the decision with the promise of ``before``, since an earlier start does not shorten a promise.

    The decision keeps its own promise if it starts later than promised before. If ``before`` has no promise, a promise
    with slack is removed, and any other promise stays.
    """
    if not isinstance(decision, Placement) or not isinstance(before, Placement):
        return decision
    if before.promised is None:
        # With slack, the search uses planned starts as promises (``with_starts_promised``). So the promise of the
        # decision is not real. Without slack, the promise is real, and may be new.
        return replace(decision, promised=None) if promises is Promises.SLACK else decision
    return replace(decision, promised=before.promised) if decision.start <= before.promised else decision


def _preemption(found: _Found, now: float) -> Preemption:
    gang, victims = found.gang, found.victims
    return Preemption(
        gang=gang.key,
        victims=tuple(sorted(victim.key for victim in victims if not isinstance(victim, ShrinkingGang))),
        lost=sum(victim.lost_work(now) for victim in victims),
        shrinks=shrinks_for(gang, victims),
        reclaimed=reclaimed(victims, gang.priority),
    )


def _waits_long(gang: PendingGang, start: float, now: float) -> bool:
    return start - max(now, gang.awaits) > WORTH_SECONDS
