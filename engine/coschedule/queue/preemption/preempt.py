"""Which gangs are evicted, so that more urgent ones start.

Problem: a gang that can't start now, or only later than without some gangs of strictly lower priority by more than
``WORTH_SECONDS``. Choose whom to evict.

Objective: of all sets of victims without which the gang starts as soon as they have ended, and no gang of its priority
or above starts later than planned, the cheapest (``victims.py``): least lost work, then fewest gangs, then youngest.
Only gangs are looked at that hold something the gang could use, on nodes that it may use.

Method: sets are tried from the cheapest on, those that leave too little room (``room.py``) left out, and each is
planned without (``landing.py``): nobody is evicted in vain. That is exact for up to ten candidates (``search.py``).
Among more, the cheapest for the room they leave are taken until there is enough, and then those are spared, dearest
first, who are not needed: no victim can be spared, but another set may cost less. The plans that all this takes are
limited (``MOST_PLANNED``): where many sets fail, the rest is not tried.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from coschedule.queue.keeping.memory import with_starts_promised
from coschedule.queue.plan import plan
from coschedule.queue.planner.planner import Rescue
from coschedule.queue.preemption.landing import WORTH_SECONDS, PlanningEffort, start_of
from coschedule.queue.preemption.search import Landed, VictimSearch
from coschedule.queue.preemption.worlds import awaiting, without
from coschedule.queue.problem.decisions import Decision, Placement, Plan, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.order import in_order
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.refusals import Reason
from coschedule.queue.problem.snapshot import Snapshot

MOST_PLANNED = 512
"""Gangs that are planned in search of victims, and for what follows: twice as many as the operator plans at once."""
MOST_PREEMPTIONS = 4
"""Gangs for which others are evicted in one plan; the next plan sees what became of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """The gangs that are evicted for ``gang``, by key, and the member-seconds that are lost with them."""

    gang: GangKey
    victims: tuple[GangKey, ...]
    lost: float


class Preempting(NamedTuple):
    """Who is evicted for whom, and the plan in which the victims end by themselves after their grace."""

    plan: Plan
    preemptions: tuple[Preemption, ...]


def preempt(snapshot: Snapshot, made: Plan, *, rescue: Rescue | None = None) -> Preempting:
    """Decide who is evicted for gangs that do not start now in the plan that was ``made``.

    Guarantees: every gang for which others are evicted starts, in the plan that is returned, when they have ended; no
    gang of its priority or above starts later than before; equal priority never gives way. The same snapshot gives the
    same answer. ``rescue`` as in ``plan``.
    """
    preemptions: list[Preemption] = []
    effort = PlanningEffort(MOST_PLANNED)
    while len(preemptions) < MOST_PREEMPTIONS:
        found = _most_urgent(snapshot, made, effort)
        if found is None:
            break
        gang, landed = found
        preemptions.append(_preemption(gang.key, landed, snapshot.now))
        snapshot, made = _carried_out(snapshot, made, gang.key, landed, rescue)
        effort.spend(len(snapshot.gangs))
    return Preempting(made, tuple(preemptions))


def _most_urgent(snapshot: Snapshot, made: Plan, effort: PlanningEffort) -> tuple[PendingGang, Landed] | None:
    """The first gang of the queue for which others can be evicted."""
    if not snapshot.running:
        return None
    starts = {decision.gang: start_of(decision) for decision in made.decisions}
    bound = with_starts_promised(snapshot, made) if snapshot.promises is Promises.SLACK else snapshot
    unread = {decision.gang for decision in made.decisions if _is_unread(decision)}
    search, in_front = VictimSearch(bound, made, effort), 0
    for gang in in_order(bound.gangs):
        if not effort.allows(in_front + 1):
            return None
        if gang.may_preempt and gang.key not in unread and _waits_long(gang, starts[gang.key], snapshot.now):
            landed = search.victims_for(gang)
            if landed is not None:
                return gang, landed
        in_front += starts[gang.key] > snapshot.now
    return None


def _is_unread(decision: Decision) -> bool:
    """Tell whether a gang's constraints are too long to be read: that is as long without others."""
    return isinstance(decision, Unplaceable) and decision.reason is Reason.CONSTRAINTS_TOO_LONG


def _carried_out(
    snapshot: Snapshot, made: Plan, gang: GangKey, landed: Landed, rescue: Rescue | None
) -> tuple[Snapshot, Plan]:
    """What is there afterwards, and the plan of it: what starts now in front starts as planned before."""
    until = max(victim.gone_by(snapshot.now) for victim in landed.victims)
    later = plan(without(landed.landing.world, landed.victims), rescue=rescue)
    decisions = {decision.gang: decision for decision in made.decisions}
    for decision in later.decisions:
        decisions[decision.gang] = _as_promised(decision, decisions[decision.gang])
    ordered = tuple(decisions[one.key] for one in in_order(snapshot.gangs))
    return awaiting(without(snapshot, landed.victims), gang, until), replace(made, decisions=ordered)


def _as_promised(decision: Decision, before: Decision) -> Decision:
    """What is decided now, with what was promised before: to be planned for sooner shortens no promise."""
    if not isinstance(decision, Placement) or not isinstance(before, Placement) or before.promised is None:
        return decision
    return replace(decision, promised=before.promised) if decision.start <= before.promised else decision


def _preemption(gang: GangKey, landed: Landed, now: float) -> Preemption:
    lost = sum(victim.lost_work(now) for victim in landed.victims)
    return Preemption(gang=gang, victims=tuple(sorted(victim.key for victim in landed.victims)), lost=lost)


def _waits_long(gang: PendingGang, start: float, now: float) -> bool:
    return start - max(now, gang.awaits) > WORTH_SECONDS
