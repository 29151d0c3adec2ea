"""Finds the waiting gangs, in the order of the queue."""

import logging
import math
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field

from coschedule import Urgency, urgency
from lockstep.belief.gangs.age import in_queue_since
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.cycle.planning.quarantine import Quarantine
from lockstep.cycle.planning.rotation import Rotation
from lockstep.cycle.planning.standing import Standing
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.logs.fields import about
from lockstep.snapshot.later_rooms import kept_until, room_for_later, with_still_age

log = logging.getLogger(__name__)


def by_urgency(state: State, gangs: Iterable[AcceptedGang], now: float) -> list[AcceptedGang]:
    """The gangs in the order of the queue: the first is planned first. Groups with fair shares take turns."""
    ordered = sorted(gangs, key=lambda gang: _urgency_of(state, gang, now))
    return state.shares.dealt(ordered, lambda gang: state.priorities.of(gang) or 0, now)


@dataclass(slots=True)
class Waiting:
    """The waiting ``gangs``, the most urgent first, and gangs ``awaiting`` others, which may not start yet.

    ``gangs`` also has room for later pods. ``room_ends`` is the next time at which some room is no longer kept; it is
    monotonic.
    """

    gangs: list[AcceptedGang] = field(default_factory=list)
    awaiting: list[AcceptedGang] = field(default_factory=list)
    room_ends: float = math.inf


class WaitingSearch:
    """Finds in the cache what must be planned. A gang whose search raises is quarantined."""

    def __init__(
        self,
        state: State,
        standing: Standing,
        rotation: Rotation,
        quarantine: Quarantine,
        monotonic: Callable[[], float],
    ) -> None:
        self._state = state
        self._standing = standing
        self._rotation = rotation
        self._quarantine = quarantine
        self._monotonic = monotonic

    def finding(self, now: float) -> Generator[None, None, Waiting]:
        """Find the waiting gangs, in steps. Gangs that are deleted meanwhile are left out."""
        found = Waiting()
        for gang in list(self._state.gangs.values()):
            if isinstance(gang, AcceptedGang):
                self._add(gang, found, now)
            yield
        there = (gang for gang in found.gangs if gang.key in self._state.gangs or gang.spec.is_room)
        found.gangs = by_urgency(self._state, there, now)
        return found

    def _add(self, gang: AcceptedGang, found: Waiting, now: float) -> None:
        try:
            self._add_itself(gang, found)
            self._add_room(gang, found, now)
        except Exception as error:
            if not self._quarantine.contains(gang):
                log.exception("it is not known whether the gang waits", extra=about(gang.key))
                self._quarantine.put(gang, error)

    def _add_itself(self, gang: AcceptedGang, found: Waiting) -> None:
        if self._standing.waits(gang) or self._standing.keeps_its_place(gang):
            found.gangs.append(gang)
        elif gang.unmet and self._state.phase_of(gang) is Phase.AWAITS_OTHERS:
            found.awaiting.append(gang)

    def _add_room(self, gang: AcceptedGang, found: Waiting, now: float) -> None:
        """Add room for pods of the gang that come later, if it needs any."""
        room = room_for_later(self._state, gang, now)
        if room is None:
            return
        found.room_ends = min(found.room_ends, self._monotonic() + kept_until(self._state, gang) - now)
        # Refused room counts as a gang that fits nowhere, so elastic gangs may still grow.
        found.gangs.append(with_still_age(room) if self._rotation.was_refused(room) else room)


def _urgency_of(state: State, gang: GangFact, now: float) -> Urgency:
    return urgency(state.priorities.of(gang) or 0, in_queue_since(gang, now), gang.created, gang.key)
