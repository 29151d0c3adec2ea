"""One attempt of one gang: reserve → create all → provide volumes → bind all → seen bound. A failure undoes all of it.

The reservation in the gang's status is written before any pod exists and removed after the last one is gone. So this
process and the next one know every pod that may exist. Each step can be repeated: after a restart at any line,
:meth:`Attempt.resume` continues.
"""

import asyncio
import contextlib
import logging
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import assert_never

from lockstep.act.bind import Binder
from lockstep.act.create import Creator
from lockstep.act.ending.undo import Undoing, UndoListeners
from lockstep.act.requests.member_reads import refresh_members
from lockstep.act.requests.network import Network
from lockstep.act.requests.outcome import Ending, Outcome
from lockstep.act.requests.progress import Progress, progress, remembered_ranks
from lockstep.act.requests.services import Services
from lockstep.act.volumes.claims import create_missing_claims
from lockstep.act.volumes.needed_claims import needed_claims
from lockstep.act.volumes.volumes import VolumeProvider
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import LANDING_SECONDS
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.reservation import Reservation, reserved_in_status
from lockstep.belief.losses import record_lost
from lockstep.belief.nodes.failed_nodes import AVOID_SECONDS
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangStatus, RefusedGang, Verdict
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.ranks import has_rank
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.report.status.conditions import mark_reserved
from lockstep.report.status.events import names_do_not_resolve
from lockstep.report.status.status import Written
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.report.text.sentences import listed
from lockstep.snapshot.attempt_start import AttemptStart
from lockstep.snapshot.placement_conflicts import PlacementConflict

log = logging.getLogger(__name__)


class Attempt:
    """Carries out one reservation that the state already holds.

    The caller sets ``changed`` after each change of the gang or its pods. ``pause`` returns the seconds that the gang
    rests after a failure. ``was_cut_off`` says that an earlier run of the attempt was stopped midway. ``listeners`` are
    called while it is undone.
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
        self._verdict: Verdict | None = None
        self._stay = services.window.stay(reservation.size)
        self.changed = asyncio.Event()
        self.undoing_since = math.inf
        self._landed_at = services.monotonic() + LANDING_SECONDS if was_cut_off else -math.inf
        self._undoing = Undoing(services, gang, reservation, pause=pause, changed=self.changed, listeners=listeners)

    @property
    def is_undoing(self) -> bool:
        """Whether the attempt is being undone."""
        return self.undoing_since < math.inf

    @property
    def gang_uid(self) -> str:
        """The UID of the attempt's gang: another gang may have its name by now."""
        return self._gang.uid

    async def begin(self, start: AttemptStart) -> Outcome:
        """Wait until the window admits the attempt, write the reservation in the status, then carry it out."""
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
        """Carry out a reservation that the gang's status holds, whatever part of it is done already.

        The members still to be bound must fit their nodes now: the status may be old, and anyone may have written it.
        """
        conflict = self._conflict()
        if conflict is not None:
            message = f"it cannot go on as reserved: {conflict_sentence(conflict)}"
            return await self._undo(Failure(reason=Reason.NO_LONGER_FITS, message=message))
        return await self._carry_out()

    async def interrupt(self, failure: Failure) -> Outcome:
        """Undo a gang that was placed and has lost a member."""
        return await self._undo(failure)

    def _conflict(self) -> PlacementConflict | None:
        """Why the reservation would no longer be planned like this; a gang that is refused by now is not planned."""
        if not isinstance(self._gang, AcceptedGang):
            return None
        return self._services.cutter.conflict(self._gang, self._reservation, self._services.now())

    def _refused(self, message: str) -> Outcome:
        log.warning("the API server does not take its reservation: %s", message, extra=about(self._gang.key))
        self._services.count_refused("reservation")
        return Outcome(ending=Ending.REFUSED, refusal=message)

    def _stands_in_status(self) -> bool:
        """Whether the status has this reservation already, by our own write.

        Then our first write succeeded, its answer was lost, and the repeated one was a conflict.
        """
        gang = self._services.state.gangs.get(self._gang.key)
        stands = None if gang is None or gang.uid != self._gang.uid else reserved_in_status(gang)
        ours = self._reservation
        return stands is not None and (stands.attempt, stands.members) == (ours.attempt, ours.members)

    async def _create_and_bind(self, gang: AcceptedGang) -> Failure | None:
        services, there = self._services, self._pods()
        ended = self._ended_and_gone(there)
        uids = await self._create(gang, there, ended)
        if isinstance(uids, Failure):
            return uids
        binder = Binder(services.client, self._reservation, count=services.count_binding)
        bound = {key: pod.node for key, pod in there.items() if pod.node}
        failure = await self._provide_volumes(uids, settled=bound.keys() | ended.keys())
        failure = failure or await binder.bind_all(uids, bound, ended.keys())
        self._stay.done()
        return failure

    async def _create(
        self, gang: AcceptedGang, there: Mapping[PodKey, PodFact], ended: Mapping[PodKey, str]
    ) -> Mapping[PodKey, str] | Failure:
        """Make sure that all members exist; returns their UIDs. Keeps nothing of their manifests."""
        services = self._services
        failure = await create_missing_claims(services.client, services.state, gang, self._reservation)
        if failure is not None:
            return failure
        creator = Creator(services.client, gang, self._reservation)
        unbound = {key for key, pod in there.items() if not pod.node}
        already = {key: pod.uid for key, pod in there.items()} | dict(ended)
        failures = await asyncio.gather(creator.create_missing(already, unbound), self._make_network(gang))
        failure = next((failure for failure in failures if failure is not None), None)
        if failure is not None:
            self._verdict = creator.verdict
            await self._delete_unowned(creator.unowned)
            return failure
        if creator.seen:
            services.state.templates.seen(gang, creator.seen)
        return creator.uids

    async def _provide_volumes(self, uids: Mapping[PodKey, str], *, settled: Collection[PodKey]) -> Failure | None:
        """Make sure that the claims of all members have volumes, except members that are bound or have ended."""
        needed = needed_claims(self._gang, self._reservation, is_waited_for=lambda pod: pod not in settled)
        if needed:
            # Volumes may take minutes, so the gang leaves the window.
            self._stay.leave()
        provider = VolumeProvider(
            self._services,
            self._gang,
            needed,
            uids=uids,
            changed=self.changed,
            lost=lambda: self._progress().disrupted,
        )
        return await provider.provide()

    async def _make_network(self, gang: AcceptedGang) -> Failure | None:
        """Make sure that members find each other. If the spec does not ask for it, a failure is only one event."""
        services = self._services
        failure = await Network(services.client, gang, self._reservation).make()
        is_wanted = gang.spec.network is not None
        if failure is None or is_wanted or failure.reason is Reason.API_UNAVAILABLE:
            return failure
        if self._reservation.attempt == 1:
            services.writer.post(gang, names_do_not_resolve(failure))
        return None

    async def _delete_unowned(self, pods: list[PodFact]) -> None:
        """Delete pods that no list shows as members, because only this attempt knows their names."""
        refusal = await self._services.deletions.delete(pods) if pods else None
        if refusal is not None:
            log.error(
                "pods that nobody knows as its members are left: %s", refusal.message, extra=about(self._gang.key)
            )

    def _ended_and_gone(self, there: Mapping[PodKey, PodFact]) -> dict[PodKey, str]:
        """The members that have succeeded and whose pods are gone, without a UID: they are not created again."""
        departed, remembered = self._services.state.departed(self._gang), self._succeeded_ranks()
        gone = {key for key, pod in departed.items() if pod.outcome_once_gone is PodOutcome.SUCCEEDED}
        return {
            key: ""
            for rank, key in enumerate(self._reservation.pod_keys())
            if key not in there and (key in gone or has_rank(remembered, rank))
        }

    async def _carry_out(self) -> Outcome:
        gang = self._gang
        failure = await self._create_and_bind(gang) if isinstance(gang, AcceptedGang) else _refused_meanwhile(gang)
        if failure is None:
            failure = await self._until_seen_bound()
        if failure is None:
            return Outcome(ending=Ending.PLACED)
        return await self._undo(failure)

    async def _until_seen_bound(self) -> Failure | None:
        """Wait until watches have shown every member on its node; after a silence, list the pods."""
        most, checks, silent_since = -1, 0, self._services.monotonic()
        while True:
            self.changed.clear()
            counts = self._progress()
            if counts.disrupted is not None:
                return counts.disrupted
            if counts.is_bound:
                return None
            if counts.bound > most:
                most, silent_since = counts.bound, self._services.monotonic()
            if self._services.monotonic() - silent_since >= pause_after(checks + 1):
                checks, silent_since = checks + 1, self._services.monotonic()
                failure = await self._check_members()
                if failure is not None:
                    return failure
                continue
            await self._until_changed(silent_since + pause_after(checks + 1) - self._services.monotonic())

    async def _check_members(self) -> Failure | None:
        """List the members after all bindings succeeded: a pod that is unbound or missing is a failure."""
        services = self._services
        try:
            pods = await refresh_members(services.client, services.state, self._gang, self._reservation.attempt)
        except ApiUnavailableError as error:
            log.warning("its members are not seen, and can't be listed: %s", error, extra=about(self._gang.key))
            return None
        there = {pod.key: pod for pod in pods}
        departed, ended = services.state.departed(self._gang), self._ended_and_gone(there)
        for key in self._reservation.pod_keys():
            if key in there and not there[key].node:
                message = f"pod {key.name} is not bound, although the API server had agreed"
                return Failure(reason=Reason.BIND_INTERRUPTED, message=message)
            if key not in there and key not in departed and key not in ended:
                return Failure(reason=Reason.POD_LOST, message=f"pod {key.name} is gone, and no watch has told")
        return None

    async def _until_changed(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self.changed.wait()

    async def _undo(self, failure: Failure) -> Outcome:
        self.undoing_since = self._services.monotonic()
        self._stay.leave()
        failure = self._avoiding(failure)
        await self._undoing.run(failure, landed_at=self._landed_at)
        self._record_later_rejections()
        return Outcome(ending=Ending.UNDONE, failure=failure, verdict=self._verdict)

    def _record_later_rejections(self) -> None:
        """Record members that kubelets rejected while the attempt was being undone: one may come after the other."""
        services, attempt = self._services, self._reservation.attempt
        rejected = {loss.lost_on for loss in self._progress().losses if loss.lost_on.rejected_for}
        record_lost(services.state, self._gang, attempt, rejected, services.now())

    def _avoiding(self, failure: Failure) -> Failure:
        """Keep the gang off nodes that lost its members repeatedly, and add that to the message."""
        services, attempt = self._services, self._reservation.attempt
        avoided = record_lost(services.state, self._gang, attempt, failure.lost_on, services.now())
        if not avoided:
            return failure
        message = f"{failure.message}; for {AVOID_SECONDS / 60:g} minutes it is kept off {listed(avoided)}"
        return replace(failure, message=message)

    def _pods(self) -> dict[PodKey, PodFact]:
        """The pods of this attempt in the cache."""
        members = self._services.state.members(self._gang)
        return {key: members[key] for key in self._reservation.pod_keys() if key in members}

    def _progress(self) -> Progress:
        state = self._services.state
        return progress(
            self._reservation,
            state.members(self._gang),
            state.departed(self._gang),
            succeeded_ranks=self._succeeded_ranks(),
        )

    def _succeeded_ranks(self) -> int:
        """The ranks that succeeded, as the gang's status remembers them."""
        gang = self._services.state.gangs.get(self._gang.key)
        return 0 if gang is None or gang.uid != self._gang.uid else remembered_ranks(gang, self._reservation)


def _refused_meanwhile(gang: RefusedGang) -> Failure:
    """The failure of an attempt whose gang's spec is refused by now."""
    return Failure(reason=Reason.NO_LONGER_FITS, message=f"the gang is refused by now: {gang.refusal.message}")
