"""Which gangs are evicted, so that more urgent ones start.

Problem: a gang that can't start now, or only later than without some gangs of strictly lower priority by more than
``WORTH_SECONDS``. Choose whom to evict.

Objective: of all sets of victims without which the gang starts as soon as they have ended, and no gang of its priority
or above starts later than planned, the cheapest (``victims.py``): least lost work, then fewest gangs, then youngest.
Only gangs are looked at that hold something the gang could use, on nodes that it may use.

Method: sets are tried from the cheapest on, those that leave too little room (``room.py``) left out, and each is
planned without (``landing.py``): nobody is evicted in vain. That is exact for up to ``MOST_EXACT`` candidates. Among
more, the cheapest for the room they leave are taken until there is enough, and then those are spared, dearest first,
who are not needed: no victim can be spared, but another set may cost less. The plans that all this takes are limited
(``MOST_PLANNED``): where many sets fail, the rest is not tried.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.decisions import Plan
from coschedule.queue.gangs import GangKey, PendingGang
from coschedule.queue.order import in_order
from coschedule.queue.plan import Rescue, plan
from coschedule.queue.preemption.landing import WORTH_SECONDS, Effort, Landing, start_of
from coschedule.queue.preemption.room import Room
from coschedule.queue.preemption.victims import cheapest_first, cost
from coschedule.queue.preemption.worlds import awaiting, left_of, without
from coschedule.queue.running import RunningGang
from coschedule.queue.snapshot import Snapshot

MOST_EXACT = 10
"""Candidates of which every set is tried: 1,023 sets."""
MOST_PLANNED = 512
"""Gangs that are planned in search of victims: twice as many as one plan of the operator takes."""
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
    effort = Effort(MOST_PLANNED)
    while len(preemptions) < MOST_PREEMPTIONS:
        found = _most_urgent(snapshot, made, effort)
        if found is None:
            break
        preemptions.append(found.preemption)
        snapshot, made = found.carried_out(snapshot, made, rescue)
    return Preempting(made, tuple(preemptions))


class _Found(NamedTuple):
    preemption: Preemption
    landing: Landing
    victims: tuple[RunningGang, ...]

    def carried_out(self, snapshot: Snapshot, made: Plan, rescue: Rescue | None) -> tuple[Snapshot, Plan]:
        """What is there afterwards, and the plan of it: what starts now in front starts as planned before."""
        gang = self.preemption.gang
        until = max(victim.gone_by(snapshot.now) for victim in self.victims)
        following = awaiting(without(snapshot, self.victims), gang, until)
        later = plan(without(self.landing.world, self.victims), rescue=rescue)
        decisions = {decision.gang: decision for decision in (*made.decisions, *later.decisions)}
        ordered = tuple(decisions[one.key] for one in in_order(snapshot.gangs))
        return following, replace(made, decisions=ordered)


def _most_urgent(snapshot: Snapshot, made: Plan, effort: Effort) -> _Found | None:
    """The first gang of the queue for which others can be evicted."""
    if not snapshot.running:
        return None
    starts = {decision.gang: start_of(decision) for decision in made.decisions}
    feasibility = Feasibility(snapshot.nodes)
    lowest = min(running.priority for running in snapshot.running)
    for gang in in_order(snapshot.gangs):
        if gang.may_preempt and gang.priority > lowest and _waits_long(gang, starts[gang.key], snapshot.now):
            found = _victims_for(gang, snapshot, made, feasibility, effort)
            if found is not None:
                return found
    return None


def _waits_long(gang: PendingGang, start: float, now: float) -> bool:
    return start - max(now, gang.awaits) > WORTH_SECONDS


def _victims_for(
    gang: PendingGang, snapshot: Snapshot, made: Plan, feasibility: Feasibility, effort: Effort
) -> _Found | None:
    lower = [one for one in snapshot.running if one.priority < gang.priority and _within(snapshot, [one])]
    if not lower:
        return None
    by = max(one.gone_by(snapshot.now) for one in lower)
    room = Room(snapshot, gang, feasibility, by=by)
    candidates = [one for one in lower if room.concerns(one)]
    if not candidates or not room.is_enough(candidates):
        return None
    share = effort.half()
    landing = Landing(snapshot, made, gang, share)
    given = share.left
    victims = _cheapest(candidates, snapshot, room, landing, share)
    effort.spend(given - share.left)
    if victims is None:
        return None
    lost = sum(victim.lost_work(snapshot.now) for victim in victims)
    keys = tuple(sorted(victim.key for victim in victims))
    return _Found(Preemption(gang=gang.key, victims=keys, lost=lost), landing, victims)


def _within(snapshot: Snapshot, victims: Sequence[RunningGang]) -> bool:
    """Whether the budgets allow to evict all of these."""
    return min(left_of(snapshot.budgets, victims), default=0) >= 0


def _cheapest(
    candidates: Sequence[RunningGang], snapshot: Snapshot, room: Room, landing: Landing, effort: Effort
) -> tuple[RunningGang, ...] | None:
    if len(candidates) > MOST_EXACT:
        return _cheap(candidates, snapshot, room, landing, effort)
    for victims in cheapest_first(candidates, snapshot.now, room.is_enough):
        if room.is_enough(victims) and _within(snapshot, victims) and landing.is_worth(victims):
            return victims
        if effort.left <= 0:
            break
    return None


def _cheap(
    candidates: Sequence[RunningGang], snapshot: Snapshot, room: Room, landing: Landing, effort: Effort
) -> tuple[RunningGang, ...] | None:
    """A set of which nobody can be spared."""
    now, without_anybody = snapshot.now, room.places(())
    chosen: list[RunningGang] = []

    def price(victim: RunningGang) -> tuple[float, float, GangKey]:
        return victim.lost_work(now) / max(1, room.places([victim]) - without_anybody), -victim.created, victim.key

    for candidate in sorted(candidates, key=price):
        if not _within(snapshot, [*chosen, candidate]):
            continue
        chosen.append(candidate)
        if room.is_enough(chosen):
            needed = _spared(chosen, now, room.is_enough)
            if landing.is_worth(needed):
                return needed
            if landing.is_worth(chosen):
                return _spared(chosen, now, landing.is_worth)
        if effort.left <= 0:
            break
    return None


def _spared(
    victims: Sequence[RunningGang], now: float, is_enough: Callable[[Sequence[RunningGang]], bool]
) -> tuple[RunningGang, ...]:
    """What is left of a set that is enough once each that is not needed has been spared, dearest first."""
    kept = sorted(victims, key=lambda victim: cost([victim], now))
    for victim in reversed(kept.copy()):
        others = [one for one in kept if one is not victim]
        if others and is_enough(others):
            kept = others
    return tuple(kept)
