"""Makes controllers create the pods for which an attempt has reserved seats, and waits until the pods exist.

The owner gets its size, or it grows, or Kueue admits the Workload of the pods.
"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from coschedule import GangKey
from lockstep.act.podgang.check_writes import write_checks
from lockstep.act.podgang.giving_size import give_size
from lockstep.act.podgang.growing import grow_owner
from lockstep.act.requests.services import Services
from lockstep.act.requests.window import Stay
from lockstep.api.kueue.check_entries import CheckEntry
from lockstep.api.podgang.sizing.sized_kind import sized_kind
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source, maker_of
from lockstep.facts.gang.workload import CheckState, Workload
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.text.conflict_sentences import conflict_sentence
from lockstep.report.text.sentences import n_pods

# Controllers create about twenty pods a second, so a gang of thousands takes minutes. The attempt ends after this time
# without a new pod.
_PODS_COME_SECONDS = 60.0
_OTHERS_DECIDE = Failure(reason=Reason.NO_LONGER_FITS, message="the number of its pods may no longer change")
_NO_QUOTA = Failure(reason=Reason.NO_LONGER_FITS, message="Kueue has taken back the quota of its Workload")


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGangAttempt:
    """An attempt of a Gang. The caller sets ``changed`` after each change of the Gang or its pods."""

    services: Services
    gang: GangFact
    reservation: Reservation
    stay: Stay
    changed: asyncio.Event

    def leaves(self) -> Failure | None:
        """Why pods of the Gang have to leave their nodes now; None if no pod has to."""
        return self.services.state.pod_gangs.leaving.get(self.gang.key)

    async def has_changed(self, seconds: float) -> bool:
        """Wait for a change of the Gang or its pods. Returns whether one came within ``seconds``."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.changed.wait()
        return self.changed.is_set()


class ComingPods:
    """Makes controllers create the pods of one attempt."""

    def __init__(self, attempt: PodGangAttempt) -> None:
        self._attempt = attempt
        self._services = attempt.services
        self._state = attempt.services.state
        self._gang = attempt.gang

    async def come(self) -> Failure | None:
        """Make controllers create the missing pods, and wait for the pods. Returns why that failed, or None."""
        return await self._give_size() or await self._admit() or await self._grow()

    async def _give_size(self) -> Failure | None:
        """Give a suspended owner as many pods as the reservation has seats, and wait until they exist."""
        owner, held = self._state.pod_gangs.sized.of(self._gang.key), self._state.reservations.get(self._gang.key)
        kind = None if owner is None else sized_kind(owner.source)
        if owner is None or kind is None or held is None:
            return None
        not_given = await give_size(self._services.client, kind, owner, held.size)
        if not_given is not None:
            return Failure(reason=Reason.NO_LONGER_FITS, message=not_given.why)
        # Other attempts bind meanwhile.
        self._attempt.stay.leave()
        return await self._until_pods_wait(owner.uid, f"{kind.owner.kind} {owner.name}", held.size)

    async def _admit(self) -> Failure | None:
        """Report to Kueue that the pods of a Workload may be created, unless this is done. Wait until they exist."""
        workloads, held = self._state.pod_gangs.workloads, self._state.reservations.get(self._gang.key)
        if held is None or not _is_of_workload(self._gang.key):
            return None
        known = workloads.of(self._gang.key)
        if known is None:
            return _NO_QUOTA
        if workloads.awaiting(self._gang.key) is not None:
            problem = await _report_ready(self._services, known, held.size)
            if problem:
                return Failure(reason=Reason.NO_LONGER_FITS, message=problem)
        elif not workloads.is_admitted(self._gang.key):
            return _NO_QUOTA
        self._attempt.stay.leave()
        left = held.size - len(self._state.counts.seats.bound(held))
        return await self._until_pods_wait(
            known.uid, f"Workload {known.name}", left, may_change=lambda: self._has_kept(known), otherwise=_NO_QUOTA
        )

    def _has_kept(self, known: Workload) -> bool:
        """Whether the Workload has always kept its quota.

        False if it is another Workload of the same name, or if Kueue has given it quota anew.
        """
        now = self._state.pod_gangs.workloads.of(self._gang.key)
        return now is not None and (now.uid, now.quota_since) == (known.uid, known.quota_since)

    async def _grow(self) -> Failure | None:
        """Give an owner the pods by which the Gang grows, and wait until they exist.

        This may already have happened before a restart. Then the new process may place other gangs on the seats before
        it knows of the new pods. So the attempt fails if the pods no longer fit.
        """
        known, held = self._state.pod_gangs.objects.get(self._gang.key), self._state.reservations.get(self._gang.key)
        if known is None or known.status.next_size is None or held is None:
            return None
        problem = await grow_owner(self._services, known, known.status.next_size, by=held.size)
        if problem:
            return Failure(reason=Reason.NO_LONGER_FITS, message=problem)
        self._attempt.stay.leave()
        left = held.size - len(self._state.counts.seats.bound(held))
        failure = await self._until_pods_wait(known.made_for or "", "its owner", left, may_change=self._may_change)
        return failure or (None if self._may_change() else _OTHERS_DECIDE)

    def _may_change(self) -> bool:
        """Whether the owner's number of pods may still change: no user has changed it, and no pod has succeeded."""
        return self._state.pod_gangs.elastic.of(self._gang.key) is not None

    def _conflict(self) -> Failure | None:
        """Why the pods no longer fit their seats; None if they fit."""
        gang = self._state.gangs.get(self._gang.key)
        if not isinstance(gang, AcceptedGang):
            return None
        conflict = self._services.cutter.conflict(gang, self._attempt.reservation, self._services.now())
        if conflict is None:
            return None
        return Failure(reason=Reason.NO_LONGER_FITS, message=conflict_sentence(conflict).rstrip("."))

    async def _until_pods_wait(
        self,
        owner: str,
        named: str,
        size: int,
        *,
        may_change: Callable[[], bool] = lambda: True,
        otherwise: Failure = _OTHERS_DECIDE,
    ) -> Failure | None:
        most, until = 0, self._services.monotonic() + _PODS_COME_SECONDS
        group = self._state.pod_gangs.group
        while (there := group(self._gang.key).own(owner, 0).waiting) < size:
            if there > most:
                # Only a new maximum counts: pods that come and go again do not count.
                most, until = there, self._services.monotonic() + _PODS_COME_SECONDS
            left, leaves = until - self._services.monotonic(), self._attempt.leaves()
            if leaves is not None or not may_change():
                return leaves or otherwise
            if left <= 0:
                message = (
                    f"{named} has created {there} of {n_pods(size)}, and no new pod for {_PODS_COME_SECONDS:g} seconds"
                )
                return Failure(reason=Reason.POD_LOST, message=message)
            self._attempt.changed.clear()
            await self._attempt.has_changed(left)
        # Nodes may have been cordoned or lost meanwhile.
        return self._conflict()


async def _report_ready(services: Services, workload: Workload, size: int) -> str:
    """Report to Kueue that ``size`` pods of a Workload may be created. Returns why that failed, as a clause, or ''."""
    if size != workload.pods:
        return f"Workload {workload.name} now has quota for {n_pods(workload.pods)}, not for {size}"
    message = f"Nodes are reserved for {n_pods(size)}."
    return await write_checks(
        services, workload, CheckEntry(CheckState.READY, message, gang=object_name(workload.gang))
    )


def _is_of_workload(gang: GangKey) -> bool:
    named = maker_of(object_name(gang))
    return named is not None and named[0] is Source.WORKLOAD
