"""One attempt of one gang: reserve → create all → provide volumes → bind all → seen bound.

If a step fails, the attempt is torn down.

The reservation in the gang's status is written before any pod exists, and removed after the last one is gone. So the
operator knows every pod that may exist, also after a restart. Each step can be repeated: after a restart at any line,
:meth:`Attempt.resume` continues the attempt.
"""

import asyncio
import logging
import math
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never

from lockstep.act.ending.undo import Undoing, UndoListeners
from lockstep.act.members.making import MemberMaking
from lockstep.act.podgang.binding import PodBinding
from lockstep.act.podgang.coming_pods import PodGangAttempt
from lockstep.act.podgang.giving_up import GivingUp
from lockstep.act.requests.outcome import Ending, Outcome
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import LANDING_SECONDS
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.losses import record_lost
from lockstep.belief.nodes.failed_nodes import AVOID_SECONDS
from lockstep.facts.gang.gang import AcceptedGang, GangFact, RefusedGang
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.report.status.plan_marks import mark_reserved
from lockstep.report.status.status import Written
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.report.text.sentences import listed
from lockstep.snapshot.attempt_start import AttemptStart
from lockstep.snapshot.placement_conflicts import PlacementConflict

log = logging.getLogger(__name__)


class Attempt:
    """Carries out one reservation that the cache already has.

    The caller sets ``changed`` after each change of the gang or its pods. ``pause`` returns the seconds that the gang
    rests after a failure. ``was_cut_off`` says that an earlier run of the attempt was stopped midway. ``listeners`` are
    called while the attempt is torn down.
    """

    def __init__(
        self,
        services: Services,
        gang: GangFact,
        reservation: Reservation,
        *,
        pause: Callable[[Failure], float],
        listeners: UndoListeners,
        was_cut_off: bool = False,
    ) -> None:
        self._services = services
        self._gang = gang
        self._reservation = reservation
        self._stay = services.window.stay(reservation.size, services.state.priorities.of(gang) or 0)
        self.changed = asyncio.Event()
        self.undoing_since = math.inf
        self._landed_at = services.monotonic() + LANDING_SECONDS if was_cut_off else -math.inf
        self._undoing: Undoing | GivingUp
        self._making: MemberMaking | PodBinding
        if is_pod_gang(gang.key):
            binding = self._making = PodBinding(
                PodGangAttempt(
                    services=services, gang=gang, reservation=reservation, stay=self._stay, changed=self.changed
                )
            )
            self._undoing = GivingUp(services, gang, reservation, pause=pause, needed=binding.needed_claims)
        else:
            self._undoing = Undoing(services, gang, reservation, pause=pause, changed=self.changed, listeners=listeners)
            self._making = MemberMaking(
                services, gang, reservation, among=reservation, stay=self._stay, changed=self.changed
            )

    @property
    def is_undoing(self) -> bool:
        """Whether the attempt is being torn down."""
        return self.undoing_since < math.inf

    async def begin(self, start: AttemptStart) -> Outcome:
        """Wait until the window admits the attempt, write the reservation to the status, and carry it out.

        Returns ``NOT_RESERVED`` if the reservation no longer fits after the wait, or the gang has changed or is gone.
        """
        has_waited = await self._stay.enter()
        try:
            if has_waited and self._conflict() is not None:
                return Outcome(ending=Ending.NOT_RESERVED)
            return await self._reserve(mark_reserved(self._gang, start))
        finally:
            self._stay.leave()

    async def _reserve(self, status: GangStatus) -> Outcome:
        try:
            written, message = await self._services.writer.write(self._gang, status)
        except ApiUnavailableError as error:
            return await self._undo(Failure(reason=Reason.API_UNAVAILABLE, message=str(error)))
        if self._stands_in_status():
            return await self._carry_out()
        match written:
            case Written.DONE:
                return await self._carry_out()
            case Written.REFUSED:
                return self._refused(message)
            case Written.CONFLICT | Written.GONE:
                return Outcome(ending=Ending.NOT_RESERVED)
            case _:
                assert_never(written)

    async def resume(self) -> Outcome:
        """Carry out a reservation that is in the gang's status, whatever part of it is already done.

        The unbound members must still fit their nodes: the status may be old, or another client may have written it.
        """
        conflict = self._conflict()
        if conflict is not None:
            message = f"the reservation no longer fits: {conflict_sentence(conflict)}"
            return await self._undo(Failure(reason=Reason.NO_LONGER_FITS, message=message))
        return await self._carry_out()

    async def interrupt(self, failure: Failure) -> Outcome:
        """Tear down a gang that was placed. ``failure`` is the reason."""
        return await self._undo(failure)

    def _conflict(self) -> PlacementConflict | None:
        """Why the reservation no longer fits; None if it fits, or if the gang is refused."""
        if not isinstance(self._gang, AcceptedGang):
            return None
        return self._services.cutter.conflict(self._gang, self._reservation, self._services.now())

    def _refused(self, message: str) -> Outcome:
        log.warning("the API server refuses the gang's reservation: %s", message, extra=about(self._gang.key))
        self._services.count_refused("reservation")
        return Outcome(ending=Ending.REFUSED, refusal=message)

    def _stands_in_status(self) -> bool:
        """Whether the status already has this reservation, by our own write.

        In this case our first write succeeded, its answer was lost, and the repeated write was a conflict.
        """
        gang = self._services.state.gangs.get(self._gang.key)
        stands = None if gang is None or gang.uid != self._gang.uid else reserved_in_status(gang)
        ours = self._reservation
        return stands is not None and (stands.attempt, stands.members) == (ours.attempt, ours.members)

    async def _carry_out(self) -> Outcome:
        gang = self._gang
        failure = await self._making.make(gang) if isinstance(gang, AcceptedGang) else _refused_meanwhile(gang)
        if failure is None:
            return Outcome(ending=Ending.PLACED)
        return await self._undo(failure)

    async def _undo(self, failure: Failure) -> Outcome:
        self.undoing_since = self._services.monotonic()
        self._stay.leave()
        failure = self._avoiding(failure)
        failure = await self._undoing.run(failure, landed_at=self._landed_at)
        self._record_later_rejections()
        return Outcome(ending=Ending.UNDONE, failure=failure, verdict=self._making.verdict)

    def _record_later_rejections(self) -> None:
        """Record members that kubelets rejected during the teardown: rejections may come one after the other."""
        services, attempt = self._services, self._reservation.attempt
        record_lost(services.state, self._gang, attempt, self._making.rejected(), services.now())

    def _avoiding(self, failure: Failure) -> Failure:
        """Keep the gang off nodes that lost its members repeatedly, and add that to the message."""
        services, attempt = self._services, self._reservation.attempt
        avoided = record_lost(services.state, self._gang, attempt, failure.lost_on, services.now())
        if not avoided:
            return failure
        message = f"{failure.message}; Lockstep keeps the gang off {listed(avoided)} for {AVOID_SECONDS / 60:g} minutes"
        return replace(failure, message=message)


def _refused_meanwhile(gang: RefusedGang) -> Failure:
    """The failure of an attempt whose gang's spec is refused by now."""
    return Failure(reason=Reason.NO_LONGER_FITS, message=f"the gang is now refused: {gang.refusal.message}")
