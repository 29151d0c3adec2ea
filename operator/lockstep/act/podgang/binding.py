"""Binds the pods of a Gang: tries all bindings with dry runs, then binds, and waits until watches show the result.

A binding is final: the pods are never deleted to reverse it. So a binding that fails is tried again for a while on its
node, which stays reserved.
"""

import asyncio
import contextlib
import math
from collections.abc import Collection, Iterable

from lockstep.act.members.group_reads import refresh_pods
from lockstep.act.podgang.coming_pods import ComingPods, PodGangAttempt
from lockstep.act.podgang.host_lists import HostListOfGang
from lockstep.act.podgang.seats import TakenSeat, pod_gone, take_seats
from lockstep.act.requests.api_refusals import is_conflict, is_no_dry_run, refused_binding
from lockstep.act.requests.concurrent import for_each
from lockstep.act.volumes.needed_claims import NeededClaim, needed_claims
from lockstep.act.volumes.volumes import VolumeProvider
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError, served
from lockstep.api.client.client import LANDING_SECONDS
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.members.binding import binding_manifest
from lockstep.api.podgang.group_member import seat_annotations
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Verdict
from lockstep.facts.pods.failure import Failure, LostOn
from lockstep.facts.reasons import Reason

_KEEPS_NODES_SECONDS = 60.0
# A pod or a node is gone, or the node owner is back. No repetition helps.
_FINAL = (Reason.POD_LOST, Reason.NO_LONGER_FITS, Reason.OWNER_RETURNED)


class PodBinding:
    """Binds pods to the seats of a reservation.

    ``verdict`` is always None: admission changed these pods when they were created.
    """

    verdict: Verdict | None = None

    def __init__(self, attempt: PodGangAttempt) -> None:
        self._attempt = attempt
        self._services = attempt.services
        self._state = attempt.services.state
        self._gang = attempt.gang
        self._size = 0
        self._bound_uids: set[str] = set()
        self._needed: list[NeededClaim] = []
        self._hosts = HostListOfGang(attempt.services, attempt.gang, attempt.reservation.attempt)
        self._coming = ComingPods(attempt)

    async def make(self, gang: AcceptedGang) -> Failure | None:
        """Bind a pod to every seat that has none. Returns why that failed, or None."""
        failure = self._attempt.leaves() or await self._coming.come()
        if failure is not None:
            return failure
        seats = await take_seats(self._state, gang, self._attempt.reservation)
        if isinstance(seats, Failure):
            return seats
        going = self._state.pod_gangs.group(gang.key).going
        self._size = len(seats) + going
        failure = await self._provide_volumes(seats) or await self._bind_all(seats)
        self._attempt.stay.done()
        # The consequences of a failure depend on the pods that are bound.
        await self._until_seen(seats if failure is None else [seat for seat in seats if seat.uid in self._bound_uids])
        if going:
            await self._hosts.rest()
        return failure

    def rejected(self) -> Collection[LostOn]:
        """The members that kubelets have rejected: always none, because the owner of the pods handles rejections."""
        return ()

    def needed_claims(self) -> list[NeededClaim]:
        """The claims of the Gang's pods. Once their volumes are provided, these claims stay, even if pods are gone."""
        return self._needed or needed_claims(self._with_its_pods(), self._attempt.reservation)

    async def _provide_volumes(self, seats: list[TakenSeat]) -> Failure | None:
        """Make sure that the claims of the pods have volumes. Returns why that failed, or None."""
        needed = self._needed = self.needed_claims()
        if not needed:
            return None
        # Volumes may take minutes. So the gang no longer counts in the ``AttemptWindow``, and others can begin.
        self._attempt.stay.leave()
        uids = {seat.pod: seat.uid for seat in seats}
        provider = VolumeProvider(
            self._services, self._gang, needed, uids=uids, changed=self._attempt.changed, lost=lambda: self._lost(seats)
        )
        return await provider.provide()

    def _with_its_pods(self) -> GangFact:
        """The Gang from the cache, with the claims of pods that have come after the attempt was continued.

        If the cache has another reservation, this is the Gang as the attempt got it.
        """
        known, ours = self._state.gangs.get(self._gang.key), self._attempt.reservation
        held = None if known is None else reserved_in_status(known)
        is_it = held is not None and (held.gang_uid, held.attempt) == (ours.gang_uid, ours.attempt)
        return known if known is not None and is_it else self._gang

    def _lost(self, seats: list[TakenSeat]) -> Failure | None:
        """Why the pods can't all be bound any more; None if they can.

        One of them is gone or no longer waits, or other pods of the Gang have to leave.
        """
        leaves, pods = self._attempt.leaves(), self._state.pod_gangs.group(self._gang.key).pods
        if leaves is not None:
            return leaves
        for seat in seats:
            pod = pods.get(seat.pod)
            if pod is None or pod.uid != seat.uid or pod.group.waiting is None:
                return pod_gone(seat)
        return None

    async def _bind_all(self, seats: list[TakenSeat]) -> Failure | None:
        """Try all bindings, and bind if all are allowed.

        If some pods are already bound, the others are bound without a try. A single pod is also bound without a try,
        because a refusal leaves nothing behind.
        """
        held = self._state.reservations.get(self._gang.key)
        is_rest = held is not None and len(seats) < held.size
        is_single = len(seats) == 1 and not self._is_begun()
        failure = None if is_rest or is_single else await for_each(seats, self._try) or self._node_gone(seats)
        return failure or await self._bind_each(seats)

    async def _bind_each(self, seats: list[TakenSeat]) -> Failure | None:
        """Bind all pods. After the first binding, refused bindings are tried again for ``_KEEPS_NODES_SECONDS``.

        They are not tried again after a failure in ``_FINAL``. The time begins anew when the API server was away.
        Returns the last failure, or None.
        """
        until, tries = math.inf, 0
        while left := [seat for seat in seats if seat.uid not in self._bound_uids]:
            failure = self._attempt.leaves() or await self._hosts.write(seats) or await for_each(left, self._bind)
            if failure is None or failure.reason in _FINAL:
                return failure
            if await self._was_away(failure, left):
                until = math.inf
                self._hosts.check_again()
            until = min(until, self._services.monotonic() + _KEEPS_NODES_SECONDS)
            if not self._is_begun() or self._services.monotonic() >= until:
                return failure
            await self._pause(min(pause_after(tries), until - self._services.monotonic()))
            tries += 1
        return None

    async def _pause(self, seconds: float) -> None:
        """Wait for this time, or until pods of the Gang have to leave."""
        until = self._services.monotonic() + seconds
        while self._attempt.leaves() is None and (left := until - self._services.monotonic()) > 0:
            self._attempt.changed.clear()
            await self._attempt.has_changed(left)

    def _is_begun(self) -> bool:
        """Whether some pods of the Gang are already on nodes, and wait there for the other pods.

        They may have been bound before a restart.
        """
        return bool(self._bound_uids) or self._state.pod_gangs.group(self._gang.key).going > 0

    async def _was_away(self, failure: Failure, seats: list[TakenSeat]) -> bool:
        """Find out which pods were bound by requests without an answer.

        Returns whether the API server was away meanwhile.
        """
        if failure.reason is not Reason.API_UNAVAILABLE:
            return False
        tries = 0
        # The API server may still carry out the last of these requests.
        await asyncio.sleep(LANDING_SECONDS)
        while await for_each(seats, self._read) is not None:
            await asyncio.sleep(pause_after(tries))
            tries += 1
        return tries > 0

    async def _read(self, seat: TakenSeat) -> None:
        if await self._is_bound(seat):
            self._bound_uids.add(seat.uid)

    async def _try(self, seat: TakenSeat) -> Failure | None:
        """Send the binding of a pod as a dry run. Returns why it was refused, or None."""
        answer = await self._services.client.dry_run(
            paths.binding_to_be(seat.pod), self._manifest(seat), urgency=Urgency.BIND
        )
        # A webhook that supports no dry runs says nothing about the pod.
        if answer.is_success or is_no_dry_run(answer):
            return None
        return await self._why_refused(seat, answer)

    async def _bind(self, seat: TakenSeat) -> Failure | None:
        gone = self._node_gone([seat])
        if gone is not None:
            return gone
        target, manifest = paths.pod_binding(seat.pod), self._manifest(seat)
        try:
            created = self._services.client.create(target, manifest, Urgency.BIND)
            answer = served(await created, f"pod {seat.pod.name} can't be bound")
        except ApiUnavailableError:
            self._services.count_binding("error")
            raise
        if answer.is_success or (is_conflict(answer) and await self._is_bound(seat)):
            self._services.count_binding("bound")
            self._bound_uids.add(seat.uid)
            return None
        self._services.count_binding("refused")
        return await self._why_refused(seat, answer)

    async def _is_bound(self, seat: TakenSeat) -> bool:
        """Whether the pod is already on its node. The API server answers an equal second binding with a conflict."""
        answer = await self._read_seat(seat)
        pod = read_pod(answer.body) if answer.is_success else None
        return pod is not None and (pod.uid, pod.node) == (seat.uid, seat.node)

    async def _why_refused(self, seat: TakenSeat, refusal: Answer) -> Failure:
        """Why a binding was refused: the pod is gone or no longer waits, or else the message of the API server."""
        answer = await self._read_seat(seat)
        if answer.is_success:
            pod = read_pod(answer.body)
            is_gone = pod.uid != seat.uid or bool(pod.node) or pod.is_deleting
        else:
            is_gone = answer.is_absence
        return pod_gone(seat) if is_gone else refused_binding(seat.pod.name, seat.node, refusal)

    async def _read_seat(self, seat: TakenSeat) -> Answer:
        return served(await self._services.client.get(paths.pod(seat.pod)), f"pod {seat.pod.name} can't be read")

    def _node_gone(self, seats: Iterable[TakenSeat]) -> Failure | None:
        """A failure for the first node that no longer exists; None if all exist.

        The API server would bind pods to nodes that do not exist.
        """
        for seat in seats:
            if seat.node not in self._state.nodes:
                message = f"node {seat.node}, which is reserved for pod {seat.pod.name}, is gone"
                return Failure(reason=Reason.NO_LONGER_FITS, message=message)
        return None

    def _manifest(self, seat: TakenSeat) -> dict[str, object]:
        manifest = binding_manifest(seat.pod, seat.uid, seat.node)
        annotations = seat_annotations(seat.seat, rank=seat.rank, size=self._size)
        return {**manifest, "metadata": {**manifest["metadata"], "annotations": annotations}}

    async def _until_seen(self, seats: list[TakenSeat]) -> None:
        """Wait until watches show every pod on its node, or gone. After a time without changes, list the pods."""
        checks, left = 0, list(reversed(seats))
        while left:
            self._attempt.changed.clear()
            # Each change is checked once: watches show pods nearly in the order in which they were bound.
            while left and self._is_seen(left[-1]):
                left.pop()
            if left and not await self._attempt.has_changed(pause_after(checks + 1)):
                checks += 1
                with contextlib.suppress(ApiUnavailableError):
                    await refresh_pods(self._services.client, self._state, self._gang.key)

    def _is_seen(self, seat: TakenSeat) -> bool:
        """Whether the cache has the pod on its node, or no longer has it."""
        pod = self._state.pods.get(seat.pod)
        return pod is None or pod.uid != seat.uid or bool(pod.node)
