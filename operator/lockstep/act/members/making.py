"""Makes members: creates all, provides volumes, binds all, and sees them bound. The caller tears down what fails.

Each step can be repeated. Existing members are left unchanged.
"""

import asyncio
import contextlib
import logging
from collections.abc import Collection, Mapping

from lockstep.act.dealing.pieces_store import PiecesStore
from lockstep.act.members.bind import Binder
from lockstep.act.members.create import Creator
from lockstep.act.members.member_reads import refresh_members
from lockstep.act.requests.network import Network
from lockstep.act.requests.progress import Progress, progress, remembered_ranks
from lockstep.act.requests.services import Services
from lockstep.act.requests.window import Stay
from lockstep.act.volumes.claims import create_missing_claims
from lockstep.act.volumes.needed_claims import needed_claims
from lockstep.act.volumes.volumes import VolumeProvider
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Verdict
from lockstep.facts.pods.failure import Failure, LostOn
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.ranks import has_rank
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.report.status.events import names_do_not_resolve
from lockstep.report.text.conflict_sentences import conflict_sentence

log = logging.getLogger(__name__)


class MemberMaking:
    """Makes the members of a reservation: all of them, or those that join others.

    ``among`` has all members, which must find each other. The caller sets ``changed`` after each change of the gang or
    its pods. ``verdict`` is set if the gang must be planned again or refused, because admission has changed or refused
    its members.
    """

    def __init__(
        self,
        services: Services,
        gang: GangFact,
        reservation: Reservation,
        *,
        among: Reservation,
        stay: Stay,
        changed: asyncio.Event,
    ) -> None:
        self._services = services
        self._gang = gang
        self._reservation = reservation
        self._among = among
        self._stay = stay
        self._changed = changed
        self.verdict: Verdict | None = None

    async def make(self, gang: AcceptedGang) -> Failure | None:
        """Create and bind all members, and wait until watches show them bound. Returns why that failed, or None."""
        return await self._create_and_bind(gang) or await self._until_seen_bound()

    def progress(self) -> Progress:
        """The progress of the members, according to the cache."""
        state = self._services.state
        return progress(
            self._reservation,
            state.members(self._gang),
            state.departed(self._gang),
            succeeded_ranks=self._succeeded_ranks(),
        )

    def rejected(self) -> Collection[LostOn]:
        """The nodes on which kubelets have rejected members, with the kubelets' reasons and messages."""
        return {loss.lost_on for loss in self.progress().losses if loss.lost_on.rejected_for}

    async def _create_and_bind(self, gang: AcceptedGang) -> Failure | None:
        services = self._services
        there = {pod.key: pod for pod in services.state.pods_of(self._reservation)}
        ended = self._ended_and_gone(there)
        failure = self.progress().disrupted or self._gone_after_bindings(there, ended)
        if failure is not None:
            return failure
        uids = await self._create(gang, there, ended)
        if isinstance(uids, Failure):
            return uids
        binder = Binder(services.client, self._reservation, count=services.count_binding)
        bound = {key: pod.node for key, pod in there.items() if pod.node}
        failure = await self._provide_volumes(uids, bound_or_ended=bound.keys() | ended.keys())
        failure = failure or self._no_longer_fits(gang) or await binder.bind_all(uids, bound, ended.keys())
        self._stay.done()
        return failure

    def _gone_after_bindings(self, there: Mapping[PodKey, PodFact], ended: Mapping[PodKey, str]) -> Failure | None:
        """The failure if a member is missing although others are bound; None if there is none.

        No member is bound before all exist. So a missing member is gone. It may have run, and is not created again.
        """
        nodes = ((there[member.pod].node, member.node) for member in self._reservation.by_rank() if member.pod in there)
        if not any(node == planned for node, planned in nodes):
            return None
        gone = next((key for key in self._reservation.pod_keys() if key not in there and key not in ended), None)
        if gone is None:
            return None
        return Failure(reason=Reason.POD_LOST, message=f"pod {gone.name} is gone, after members were bound")

    def _no_longer_fits(self, gang: AcceptedGang) -> Failure | None:
        """Why the unbound members would no longer be placed on their nodes; None if they would be.

        Nodes may have changed while the members were created, and volumes may take minutes.
        """
        conflict = self._services.cutter.conflict(gang, self._among, self._services.now())
        if conflict is None:
            return None
        message = f"the reservation no longer fits: {conflict_sentence(conflict)}"
        return Failure(reason=Reason.NO_LONGER_FITS, message=message)

    async def _create(
        self, gang: AcceptedGang, there: Mapping[PodKey, PodFact], ended: Mapping[PodKey, str]
    ) -> Mapping[PodKey, str] | Failure:
        """Make sure that all members exist. Returns their UIDs, or a failure.

        The members' manifests are in memory only until this returns.
        """
        services = self._services
        failure = await create_missing_claims(services.client, services.state, gang, self._reservation)
        if failure is not None:
            return failure
        failure = await self._begin_pieces(gang)
        if failure is not None:
            return failure
        creator = Creator(services.client, gang, self._among)
        unbound = {key for key, pod in there.items() if not pod.node}
        others = dict.fromkeys({*self._among.pod_keys()} - {*self._reservation.pod_keys()}, "")
        already = others | {key: pod.uid for key, pod in there.items()} | dict(ended)
        failures = await asyncio.gather(creator.create_missing(already, unbound), self._make_network(gang))
        failure = next((failure for failure in failures if failure is not None), None)
        if failure is not None:
            self.verdict = creator.verdict
            await self._delete_unowned(creator.unowned)
            return failure
        if creator.observed:
            services.state.templates.observe(gang, creator.observed)
        return creator.uids

    async def _begin_pieces(self, gang: AcceptedGang) -> Failure | None:
        """Make sure that members find the key of their dealer, and that the dealer finds the settled pieces."""
        if gang.spec.dealing is None:
            return None
        services = self._services
        store = PiecesStore(services.client, gang, gang.spec.dealing, self._reservation.attempt)
        return await store.begin(services.state.pieces.bits(gang))

    async def _provide_volumes(
        self, uids: Mapping[PodKey, str], *, bound_or_ended: Collection[PodKey]
    ) -> Failure | None:
        """Make sure that the claims of all members have volumes, except members that are bound or have ended."""
        needed = needed_claims(self._gang, self._reservation, is_waited_for=lambda pod: pod not in bound_or_ended)
        if needed:
            # Volumes may take minutes. So the gang no longer counts in the ``AttemptWindow``, and others can begin.
            self._stay.leave()
        provider = VolumeProvider(
            self._services,
            self._gang,
            needed,
            uids=uids,
            changed=self._changed,
            lost=lambda: self.progress().disrupted,
        )
        return await provider.provide()

    async def _make_network(self, gang: AcceptedGang) -> Failure | None:
        """Make sure that members find each other.

        If the gang does not need that, a refusal is no failure, and the first attempt posts an event about it.
        """
        services = self._services
        failure = await Network(services.client, gang, self._among).make()
        is_wanted = gang.spec.network is not None or gang.spec.keeps_members or gang.spec.dealing is not None
        if failure is None or is_wanted or failure.reason is Reason.API_UNAVAILABLE:
            return failure
        if self._reservation.attempt == 1:
            services.writer.post(gang, names_do_not_resolve(failure))
        return None

    async def _delete_unowned(self, pods: list[PodFact]) -> None:
        """Delete created pods that no list shows as members. No other code knows the names of these pods."""
        refusal = await self._services.deletions.delete(pods) if pods else None
        if refusal is not None:
            log.error(
                "Lockstep could not delete created pods that it does not recognize as members; delete them by hand: %s",
                refusal.message,
                extra=about(self._gang.key),
            )

    def _ended_and_gone(self, there: Mapping[PodKey, PodFact]) -> dict[PodKey, str]:
        """The members that have succeeded and whose pods are gone, with '' as UIDs. They are not created again."""
        departed, remembered = self._services.state.departed(self._gang), self._succeeded_ranks()
        gone = {key for key, pod in departed.items() if pod.outcome_once_gone is PodOutcome.SUCCEEDED}
        return {
            key: ""
            for rank, key in zip(self._reservation.ranks, self._reservation.pod_keys(), strict=True)
            if key not in there and (key in gone or has_rank(remembered, rank))
        }

    async def _until_seen_bound(self) -> Failure | None:
        """Wait until watches have shown every member on its node. After a time without changes, list the pods."""
        most, checks, silent_since = -1, 0, self._services.monotonic()
        while True:
            self._changed.clear()
            counts = self.progress()
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
        """List the members after all bindings have succeeded. A pod that is unbound or missing is a failure."""
        services = self._services
        try:
            pods = await refresh_members(services.client, services.state, self._gang, self._reservation.attempt)
        except ApiUnavailableError as error:
            log.warning(
                "the gang's members are not in the cache, and can't be listed: %s", error, extra=about(self._gang.key)
            )
            return None
        there = {pod.key: pod for pod in pods}
        departed, ended = services.state.departed(self._gang), self._ended_and_gone(there)
        for key in self._reservation.pod_keys():
            if key in there and not there[key].node:
                message = f"pod {key.name} is not bound, although the API server accepted the binding"
                return Failure(reason=Reason.BIND_INTERRUPTED, message=message)
            if key not in there and key not in departed and key not in ended:
                return Failure(reason=Reason.POD_LOST, message=f"pod {key.name} is gone, and no watch has reported it")
        return None

    async def _until_changed(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()

    def _succeeded_ranks(self) -> int:
        """The ranks that succeeded according to the gang's status."""
        gang = self._services.state.gangs.get(self._gang.key)
        return 0 if gang is None or gang.uid != self._gang.uid else remembered_ranks(gang, self._reservation)
