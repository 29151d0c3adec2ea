"""Tears down one attempt: reports this in the status, deletes every pod, and releases claims and nodes.

Pods that count as gone are left: pods on lost nodes, and ended pods that only a finalizer keeps.

The status says that the attempt is being torn down before the first pod is deleted. So the operator continues after a
restart, and a member that has run is never created again in the same attempt.
"""

import asyncio
import logging
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from lockstep.act.ending.disruption import report_disruption
from lockstep.act.ending.release import Release, until_done
from lockstep.act.ending.success_policy import has_succeeded
from lockstep.act.members.member_reads import cached_members, refresh_members
from lockstep.act.members.remaining_pods import left_behind, waits_for
from lockstep.act.requests.progress import progress_of
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import needed_claims
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.lost_nodes import counts_as_gone
from lockstep.belief.run_times.reported_work import reported_part
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.ranks import format_ranks
from lockstep.facts.reason_meanings import MEANINGS, UNDONE_REASONS
from lockstep.facts.reasons import Condition, Reason
from lockstep.logs.fields import about
from lockstep.report.status.attempt_marks import mark_ended_before_change, mark_undoing, with_progress
from lockstep.report.text.sentences import as_sentence

# Pods are usually gone by the second check, so only later checks are reported.
_QUIET_CHECKS = 2

log = logging.getLogger(__name__)

# The text in front of the cause. Earlier releases wrote "undone".
_BEFORE_CAUSE = re.compile(r".*? is being (?:torn down|undone): ", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoListeners:
    """The callbacks of an attempt that is torn down.

    ``reported`` is called with the reason when the status says that the attempt is torn down. ``takes_long`` is called
    once if the teardown takes long, with the reason and a sentence that says what it waits for.
    """

    reported: Callable[[Failure], None]
    takes_long: Callable[[Failure, str], None]


class Undoing:
    """Tears down one attempt. The caller sets ``changed`` after each change of the gang or its pods."""

    def __init__(
        self,
        services: Services,
        gang: GangFact,
        reservation: Reservation,
        *,
        pause: Callable[[Failure], float],
        changed: asyncio.Event,
        listeners: UndoListeners,
    ) -> None:
        self._services = services
        self._gang = gang
        self._reservation = reservation
        self._release = Release(services, gang, reservation, pause)
        self._changed = changed
        self._listeners = listeners

    async def run(self, failure: Failure, *, landed_at: float) -> Failure:
        """Delete the pods, release the claims, and remove the reservation from the status if the gang still exists.

        If the gang succeeded before a change of its size, the reservation stays, and the status says that the gang has
        succeeded. Pods that count as gone are left. Until the monotonic time ``landed_at``, earlier creates may still
        add pods. So the last check comes after this time. Returns the failure unchanged.
        """
        self._log(failure)
        if not self._is_reported(failure) and await self._report(failure, self._what_keeps(self._cached())):
            self._listeners.reported(failure)
        behind = await self._until_gone(failure, landed_at)
        await self._release.claims(needed_claims(self._gang, self._reservation))
        ended = self._ended_before(failure)
        if ended:
            await until_done(partial(self._keep, ended))
        else:
            await self._release.reservation(failure, behind)
        return failure

    def _ended_before(self, failure: Failure) -> str:
        """The ranks that have succeeded, if the gang succeeded before a change of its size; else ''.

        The gang has succeeded if all members that must succeed did so before they were asked to end. These are all
        members, or those of the role that its success policy names.
        """
        gang = self._release.known()
        if failure.next_size is None or gang is None:
            return ""
        counts = progress_of(self._services.state, gang, self._reservation)
        is_success = has_succeeded(gang.policies, counts, self._reservation.without_newcomers)
        return format_ranks(counts.succeeded_ranks) if is_success else ""

    async def _keep(self, succeeded_ranks: str) -> bool:
        """Write which ranks have succeeded, and that the gang had succeeded before the change of its size.

        The reservation stays in this status. A later status ends the gang. Returns whether no other try is needed.
        """
        gang = self._release.known()
        if gang is None or not self._release.stands_in(gang):
            return True
        status = mark_ended_before_change(gang, succeeded_ranks, now=self._services.now())
        return (await self._release.write(gang, status)).is_final

    def _log(self, failure: Failure) -> None:
        if failure.reason is Reason.GANG_DELETED:
            log.info("the gang was deleted, and its members are deleted too", extra=about(self._gang.key))
            return
        level = logging.INFO if failure.is_users_own or failure.next_size is not None else logging.WARNING
        attempt, why = self._reservation.attempt, failure.message
        log.log(level, "attempt %d of the gang is torn down: %s", attempt, why, extra=about(self._gang.key))

    def _is_reported(self, failure: Failure) -> bool:
        """Whether the status already says that the attempt is torn down for this reason.

        A restart of the gang writes this before the teardown. Or it was written before a restart of the operator.
        """
        gang = self._release.known()
        return gang is not None and self._release.stands_in(gang) and undone_in_status(gang) == failure

    def _cached(self) -> list[PodFact]:
        return cached_members(self._services.state, self._gang, self._reservation.attempt)

    async def _until_gone(self, failure: Failure, landed_at: float) -> str:
        """Delete pods until only pods that count as gone are left. Returns these as :func:`left_behind` does."""
        checks, reported = 0, None
        while True:
            to_land = landed_at - self._services.monotonic()
            left = await self._delete_what_is_left(failure)
            if left is not None and all(counts_as_gone(pod, self._services.lost_nodes) for pod in left):
                if to_land <= 0:
                    return left_behind(left, self._services.lost_nodes)
                await asyncio.sleep(to_land)
                continue
            checks += 1
            if left and checks > _QUIET_CHECKS:
                waits = self._what_keeps(left)
                if waits != reported:
                    await self._report(failure, waits)
                    if reported is None:
                        self._listeners.takes_long(failure, f"{failure.message}; {waits}.")
                reported = waits
            await self._until_no_pod_is_seen(pause_after(checks))

    async def _delete_what_is_left(self, failure: Failure) -> list[PodFact] | None:
        """List the pods of the attempt, and delete those that are not being deleted; None if the list failed."""
        services = self._services
        try:
            left = await refresh_members(services.client, services.state, self._gang, self._reservation.attempt)
        except ApiUnavailableError as error:
            log.warning("the remaining pods of the gang could not be listed: %s", error, extra=about(self._gang.key))
            return None
        self._changed.clear()
        if MEANINGS[failure.reason].gives_way:
            going = services.deletions.due(left)
            await report_disruption(services.client, going, as_sentence(failure.message), services.now())
        refusal = await services.deletions.delete(left)
        if refusal is not None:
            log.warning("%s", refusal.message, extra=about(self._gang.key))
        return left

    def _what_keeps(self, left: Iterable[PodFact]) -> str:
        services = self._services
        awaited = [pod for pod in left if not counts_as_gone(pod, services.lost_nodes)]
        return waits_for(awaited, services.state, services.lost_nodes, services.now())

    async def _report(self, failure: Failure, waits: str) -> bool:
        """Write to the status that the attempt is being torn down, if the status has its reservation.

        Returns whether it was written now. The teardown continues if it was not.
        """
        return await self._release.report(lambda gang: self._undone(gang, failure, waits))

    def _undone(self, gang: GangFact, failure: Failure, waits: str) -> GangStatus:
        status = mark_undoing(gang, failure, waits=waits, now=self._services.now())
        return with_progress(status, self._reported_part(gang))

    def _reported_part(self, gang: GangFact) -> str:
        """The part of the work that members have reported. Members that are gone are included."""
        state = self._services.state
        pods = (*state.members(gang).values(), *state.departed(gang).values())
        return reported_part(gang, self._reservation, pods, state.pieces)

    async def _until_no_pod_is_seen(self, seconds: float) -> None:
        """Wait until watches show no pod of the attempt, at most for ``seconds``, because the watch may be broken."""
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
                while self._is_seen():
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return

    def _is_seen(self) -> bool:
        return any(True for _ in self._services.state.pods_of(self._reservation))


def undone_in_status(gang: GangFact) -> Failure | None:
    """Why the gang's attempt is being torn down; None if its status does not say that it is."""
    placed, planned = gang.status.condition(Condition.PLACED), gang.status.condition(Condition.PLANNED)
    if placed is None or placed.reason != Reason.UNDOING or planned is None:
        return None
    reason = Reason(planned.reason) if planned.reason in UNDONE_REASONS else Reason.POD_LOST
    begins = _BEFORE_CAUSE.match(planned.message)
    message = "" if begins is None else planned.message[begins.end() :].rstrip(".")
    next_size = gang.status.next_size if reason is Reason.CHANGING_SIZE else None
    return Failure(reason=reason, message=message or "unknown", next_size=next_size)
