"""Gangs whose members wait for the slowest, or are on nodes whose owners are back, are resized every half a minute.

What a member has stands in its pod, what it had in the gang's status, which is written before the first is resized: the
next process goes on from these.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from coschedule import GangKey
from lockstep.act.progress import Progress
from lockstep.act.resizes import Resizes
from lockstep.act.services import Services
from lockstep.belief.reservation import Reservation
from lockstep.cycle.due_resizes import due_resizes
from lockstep.cycle.paced_members import (
    MOST_UNPACED,
    PacedMember,
    given_back,
    how_many_paced,
    members_to_pace,
    obstacles,
    offers_of,
    unpaced_of,
    waiting_roles,
    without_bids,
    yielding_nodes,
    yielding_roles,
)
from lockstep.cycle.pacing import slowest
from lockstep.facts.gang import GangFact
from lockstep.facts.pace import PaceStatus, Unpaced
from lockstep.report import conditions, events
from lockstep.report.metrics import Metrics
from lockstep.report.paces import PaceReasons, pace_message
from lockstep.report.writer import Report

LOOK_SECONDS = 30.0


class Paces:
    """Paces gangs that want it, or owners of whose nodes do, while all of their members run.

    Whatever becomes of that, the gang goes on.
    """

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._state = services.state
        self._resizes = Resizes(services, count=metrics.pace.resized)
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}
        # Gangs of which all has been done that was due: what they are told is worked out anew.
        self._settled: set[GangKey] = set()

    def look(self, gang: GangFact, reservation: Reservation, counts: Progress) -> None:
        """Resize members of a gang where that is due, and where all of them run."""
        if not self._concerns(gang, reservation) or not _all_run(counts) or self._resizes.is_under_way(gang.key):
            return
        if gang.status.pace is None:
            self._settled.add(gang.key)
        elif self._is_due(gang.key):
            self._resize(gang, members_to_pace(self._state, gang, reservation), gang.status.pace.unpaced)

    def report(self, gang: GangFact, reservation: Reservation, counts: Progress) -> Report | None:
        """What is to be told of the gang's pace, if it is not what its status says."""
        if gang.key not in self._settled or self._resizes.is_under_way(gang.key) or not _all_run(counts):
            return None
        self._settled.discard(gang.key)
        before, pace = gang.status.pace, self._status(gang, members_to_pace(self._state, gang, reservation))
        if pace == before:
            return None
        has_changed = pace is not None and before is not None and _amounts(pace) != _amounts(before)
        event = events.gang_paced(pace.message) if pace is not None and has_changed else None
        return Report(status=conditions.mark_paced(gang, pace), event=event)

    def forget(self, gang: GangKey) -> None:
        """The gang is gone or has ended, or its attempt has."""
        self._resizes.forget(gang)
        self._settled.discard(gang)
        timer = self._timers.pop(gang, None)
        if timer is not None:
            timer.cancel()

    async def stop(self) -> None:
        """Leave everything as it stands."""
        for timer in self._timers.values():
            timer.cancel()
        await self._resizes.stop()

    def _is_due(self, gang: GangKey) -> bool:
        """Whether the gang's turn has come; its next one is then half a minute later, and news of the gang."""
        loop = asyncio.get_running_loop()
        timer = self._timers.get(gang)
        if timer is not None and timer.when() > loop.time():
            return False
        self._timers[gang] = loop.call_later(LOOK_SECONDS, self._state.news.look_at, gang)
        return True

    def _resize(self, gang: GangFact, members: Sequence[PacedMember], unpaced: Sequence[Unpaced]) -> None:
        due = due_resizes(self._state, gang, members, unpaced)
        asked = [resize for resize in due if not self._resizes.rests(gang.key, resize.pod)]
        self._settled.add(gang.key)
        if asked:
            self._resizes.begin(gang.key, asked)

    def _concerns(self, gang: GangFact, reservation: Reservation) -> bool:
        """Whether any member is to be paced, or is from when it was to be."""
        return bool(gang.status.pace is not None or waiting_roles(gang) or yielding_roles(self._state, reservation))

    def _status(self, gang: GangFact, members: Sequence[PacedMember]) -> PaceStatus | None:
        """How far the gang is paced; nothing any more where nobody wants it and nobody is."""
        unpaced = _unpaced(gang, members)
        paced, back = how_many_paced(members, unpaced), given_back(members, unpaced)
        is_settled = not (paced or back or any(member.cpu.pending for member in members))
        is_wanted = waiting_roles(gang) or yielding_nodes(self._state, members)
        if not members or (is_settled and not is_wanted):
            return None
        pace = PaceStatus(members=len(members), paced=paced, given_back=back, message="", unpaced=unpaced)
        return replace(pace, message=pace_message(pace, self._why(gang, members, unpaced)))

    def _why(self, gang: GangFact, members: Sequence[PacedMember], unpaced: Sequence[Unpaced]) -> PaceReasons:
        return PaceReasons(
            slowest=slowest(offers_of(self._state, gang, members)),
            without_bids=without_bids(self._state, members),
            yielding=yielding_nodes(self._state, members),
            obstacles=obstacles(members, unpaced),
            refusal=self._resizes.refusal(gang.key),
        )


def _unpaced(gang: GangFact, members: Sequence[PacedMember]) -> tuple[Unpaced, ...]:
    """What members have without pace: as it was written before any of their role was paced."""
    known = () if gang.status.pace is None else gang.status.pace.unpaced
    roles = {one.role for one in known}
    found = (*known, *unpaced_of([member for member in members if member.role not in roles]))
    return found if len(found) <= MOST_UNPACED else known


def _all_run(counts: Progress) -> bool:
    """Whether every member runs, and none has ended: the others do so soon."""
    return counts.is_running and not counts.succeeded


def _amounts(pace: PaceStatus) -> tuple[int, int]:
    return pace.paced, pace.given_back
