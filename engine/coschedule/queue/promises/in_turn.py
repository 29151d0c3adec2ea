"""Plans gangs in the turns of their groups, and keeps their promises."""

import math
from collections.abc import Sequence
from itertools import islice

from coschedule.queue.planner.planner import Planner
from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.promises.planned import Planned
from coschedule.queue.shares.dealing import Charged


def fair_front(ordered: Sequence[PendingGang], most: int, charged: Charged) -> list[PendingGang]:
    """Return the ``most`` gangs with the next turns, and ``most`` others with a promise, in the order given.

    Of the gangs with a promise, the gangs with the earliest places are taken.
    """
    chosen = {gang.key for gang in islice(charged.expected_order(ordered), most)}
    promised = (gang for gang in ordered if gang.key not in chosen and gang.promised < math.inf)
    chosen |= {gang.key for gang in sorted(promised, key=kept_start)[:most]}
    return [gang for gang in ordered if gang.key in chosen]


def in_turn(planner: Planner, gangs: Sequence[PendingGang], charged: Charged) -> list[Decision]:
    """Plan gangs in the turns of their groups; gangs of one group are planned in the order given."""
    turns, decisions = charged.turns(gangs), list[Decision]()
    for gang in turns:
        decisions.append(planner.decide(gang))
        turns.charge_for(gang, decisions[-1])
    return decisions


def dealt_in_time(base: Planner, front: Sequence[PendingGang]) -> Planned:
    """Plan gangs in the turns of their groups; gangs of one group are planned in the order given.

    If that would break a promise (``is_broken``), the gang with the first turn is planned first, then all gangs with a
    promise. If that still breaks a promise, the gangs with a promise are planned first. Groups are not yet charged for
    the places that gangs behind the front keep, since these gangs come later.
    """
    promised = sorted((gang for gang in front if gang.promised < math.inf), key=kept_start)
    next_turn = next(base.charged.turns(front))
    behind_it = [next_turn, *(gang for gang in promised if gang is not next_turn)]
    for first in ((), behind_it):
        planned, late = _dealt(base.fork(), first, front, until_late=True)
        if late is None:
            return planned
    return _dealt(base.fork(), promised, front, until_late=False)[0]


def kept_start(gang: PendingGang) -> float:
    """Return the start of the gang in the previous plan; inf if that plan has no place for it."""
    return math.inf if gang.kept is None else gang.kept.start


def is_broken(decision: Decision, gang: PendingGang) -> bool:
    """Return whether the gang starts after its promise, or loses its promised place."""
    if not isinstance(decision, Placement):
        return (gang.kept is not None or gang.lost_place) and gang.promised < math.inf
    # A sliding place may be late by less than is visible. Here even that counts, since another plan may avoid it.
    return decision.start > gang.promised


def _dealt(
    planner: Planner, first: Sequence[PendingGang], front: Sequence[PendingGang], *, until_late: bool
) -> tuple[Planned, PendingGang | None]:
    """Plan the gangs ``first``, then the others in turn. With ``until_late``, stop at a late gang and return it."""
    decisions: list[Decision] = []
    for gang in first:
        decisions.append(planner.decide(gang))
        if until_late and is_broken(decisions[-1], gang):
            return Planned(planner, decisions), gang
    are_first = {gang.key for gang in first}
    charged = planner.charged.after(zip(first, decisions, strict=True))
    turns = charged.turns(gang for gang in front if gang.key not in are_first)
    for gang in turns:
        decisions.append(planner.decide(gang))
        turns.charge_for(gang, decisions[-1])
        if until_late and is_broken(decisions[-1], gang):
            return Planned(planner, decisions), gang
    return Planned(planner, decisions), None
