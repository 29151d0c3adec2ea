"""Gives members notice of a change of size, and ends the wait when they are ready or the time is over.

The status has the change before any member can read of it. So after a restart, the operator waits until the same time.
The notice that members read follows from the status: members with another annotation are patched.
"""

from dataclasses import replace
from functools import partial

from coschedule import GangKey
from lockstep.act.changing.pod_patches import PodPatches, notice_change
from lockstep.act.requests.progress import Progress
from lockstep.act.requests.services import Services
from lockstep.api.members.notice import notice_of
from lockstep.belief.holding.reservation import Reservation, next_in_status
from lockstep.cycle.clockwork.alarms import Alarms
from lockstep.cycle.resizing.notice_times import beginning_at, latest_begin
from lockstep.cycle.resizing.why_size_stays import why_size_stays
from lockstep.facts.elastic import LONGEST_NOTICE_SECONDS, NextSize
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status.attempt_marks import mark_notice
from lockstep.report.status.events import gang_will_change_size, size_change_dropped
from lockstep.report.status.writer import StatusReport
from lockstep.report.text.sentences import n_members
from lockstep.report.text.size_sentences import change_ahead

_UNWANTED = "no waiting gang still needs the places that it would give up"


class Notices:
    """The notices of gangs that continue to work until their size changes. Gangs in ``unwanted`` need not change it."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._services = services
        self._state = services.state
        self._metrics = metrics
        self.unwanted: frozenset[GangKey] = frozenset()
        self._alarms = Alarms(services.now, due=services.state.changes.reconcile)
        # For each gang, the notice that its members must have, and the patches that write it.
        self._patches: dict[GangKey, tuple[str, PodPatches]] = {}

    def give(self, gang: GangFact, following: NextSize, room: Reservation) -> None:
        """Keep the room for the next size, and report the time at which the change begins.

        If the report fails, the room is given up.
        """
        writer = self._services.writer
        if writer.make_way(gang.key):
            self._state.assumptions.keep_room(room)
            writer.report(gang, partial(_given, gang, following))

    def check(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> Failure | None:
        """Patch members whose notice differs from that of the status.

        Returns why they are asked to end now, or None.
        """
        following = gang.status.noticed_size
        if following is None:
            # Only a gang that is elastic, or was elastic when it started, has a first size.
            if gang.status.first_size is not None:
                self._have(gang, reservation, "")
            return None
        if self._why_dropped(gang, reservation, following, counts, now):
            return None
        begin = min(following.asked_to_end_at, latest_begin(self._state, gang, reservation))
        if self._is_ready(gang, reservation, following) or not now < begin <= now + LONGEST_NOTICE_SECONDS:
            begun = self._begun(gang, reservation, following, now)
            return Failure(reason=Reason.CHANGING_SIZE, message=following.why, next_size=begun)
        self._have(gang, reservation, notice_of(following))
        self._alarms.set(gang.key, begin)
        return None

    def report(self, gang: GangFact, reservation: Reservation, counts: Progress, now: float) -> StatusReport | None:
        """The report that a change was dropped before it began; None if it was not."""
        following = gang.status.noticed_size
        if following is None:
            # The status has no notice, and no report of the gang is being written. So a notice that was decided here
            # was not written, and no room is kept for it.
            self._state.counts.next_sizes.forget_decided(gang.key)
            return None
        own = self._own_reason(gang, following, counts)
        if own:
            return self._dropped(own, mark_notice(gang, None))
        why = self._why_dropped(gang, reservation, following, counts, now)
        # A dropped change also counts as a change, so the next one comes after a while. Room and waiting gangs may come
        # and go, and each notice patches all members.
        return self._dropped(why, replace(mark_notice(gang, None), resized_at=now)) if why else None

    def forget(self, gang: GangKey) -> None:
        """Drop a gang whose attempt has ended, or is being torn down."""
        self._alarms.forget(gang)
        known = self._patches.pop(gang, None)
        if known is not None:
            known[1].cancel()

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        self._alarms.stop()
        for _, patches in list(self._patches.values()):
            await patches.stop()

    def _why_dropped(
        self, gang: GangFact, reservation: Reservation, following: NextSize, counts: Progress, now: float
    ) -> str:
        """Why the change can't be made any more, as a clause; '' if it can."""
        own, room = self._own_reason(gang, following, counts), next_in_status(gang)
        if own or room is None or not isinstance(gang, AcceptedGang):
            return own
        if gang.key in self.unwanted:
            return _UNWANTED
        return why_size_stays(self._services, gang, reservation, room, now)

    def _own_reason(self, gang: GangFact, following: NextSize, counts: Progress) -> str:
        """Why the gang itself does not make the change any more, as a clause; '' if it does."""
        if next_in_status(gang) is None or not isinstance(gang, AcceptedGang) or gang.spec.elastic is None:
            return "the spec no longer allows that size"
        asked = gang.spec.elastic.size
        if asked not in (None, following.size):
            return f"elastic.size asks for {n_members(asked)}"
        return "a member has succeeded" if counts.succeeded else ""

    def _is_ready(self, gang: GangFact, reservation: Reservation, following: NextSize) -> bool:
        """Whether the member of rank 0 says that it is ready for this change.

        Being ready for an earlier one does not count.
        """
        pod = self._state.members(gang).get(next(reservation.pod_keys()))
        return pod is not None and pod.ready_for == notice_of(following)

    def _begun(self, gang: GangFact, reservation: Reservation, following: NextSize, now: float) -> NextSize:
        """The change with now as the time at which members are asked to end."""
        assert isinstance(gang, AcceptedGang), "a change that the spec does not allow was dropped"
        begin = min(now, following.asked_to_end_at)
        return beginning_at(self._state, gang, reservation, following, begin=begin, now=now)

    def _have(self, gang: GangFact, reservation: Reservation, notice: str) -> None:
        """Give the members that notice, and no other one; '' means no notice."""
        patches = self._patches_for(gang.key, notice)
        patches.make(gang.key, self._state.pods_of(reservation))

    def _patches_for(self, gang: GangKey, notice: str) -> PodPatches:
        """The patches for that notice.

        Patches for another notice are cancelled, because they might be sent after these.
        """
        known = self._patches.get(gang)
        if known is None or known[0] != notice:
            self.forget(gang)
            known = notice, PodPatches(self._services.client, self._state, notice_change(notice))
            self._patches[gang] = known
        return known[1]

    def _dropped(self, why: str, status: GangStatus) -> StatusReport:
        self._metrics.size_changes_dropped.inc()
        event = size_change_dropped(why, goes_on=True)
        return StatusReport(status=status, event=event, written=self._state.changes.plan)


def _given(gang: GangFact, following: NextSize) -> StatusReport:
    event = gang_will_change_size(change_ahead(gang.status.size or 0, following))
    return StatusReport(status=mark_notice(gang, following), event=event)
