"""The reports of Gangs: their statuses, and events, also about the owners of their pods.

A user who adds one line to a Job reads the events of this Job. So problems of its Gang are reported there, too.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from coschedule import GangKey
from lockstep.act.attempt_history import Rest
from lockstep.act.requests.services import Services
from lockstep.api.cluster.event import Event, EventSubject, pod_subject
from lockstep.api.podgang.owners import owner_subject
from lockstep.api.quantities import rfc3339
from lockstep.cycle.explaining.refusals import refusal_report
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reason_meanings import LACKING_PODS
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.metrics.metrics import Metrics
from lockstep.report.status import events, pod_gang_marks
from lockstep.report.status.pod_gang_sizes import mark_grown
from lockstep.report.status.writer import StatusReport

# In seconds. Controllers create the pods of an owner within seconds, so after this time some are missing.
_LONG_SECONDS = 300.0


class PodGangReports:
    """Creates the reports of Gangs. A report is None if the status already says so."""

    def __init__(self, services: Services, metrics: Metrics) -> None:
        self._state = services.state
        self._writer = services.writer
        self._metrics = metrics

    def refused(self, gang: GangFact, now: float) -> StatusReport | None:
        """The report that the Gang is refused.

        If the operator has created the Gang, an event about its owner says so, too.
        """
        report = refusal_report(self._state, gang, now)
        if report is None or report.event is None:
            return report
        return replace(report, written=self._posting(gang.key, self._owner(gang.key), report.event))

    def awaiting(self, gang: GangFact, now: float) -> StatusReport | None:
        """The report that too few pods of the Gang wait.

        If that lasts, an event about their owner says so, or an event about one of the pods.
        """
        if not isinstance(gang, AcceptedGang):
            return None
        status = self._awaiting(gang, gang.spec, now)
        if status == gang.status:
            return None
        planned = status.condition(Condition.PLANNED)
        if planned is None or planned.reason != Reason.PODS_MISSING or _is_reported(gang.status):
            return StatusReport(status=status)
        event = events.pods_missing(f"Gang {object_name(gang.key)} is not complete: {planned.message}")
        subject = self._owner(gang.key) or self._pod(gang.key)
        return StatusReport(status=status, written=self._posting(gang.key, subject, event))

    def resting(self, gang: GangFact, rest: Rest, now: float) -> StatusReport | None:
        """The report that the pods have begun anew and wait until they are tried again.

        None if the status does not say that pods are lacking.
        """
        planned = gang.status.condition(Condition.PLANNED)
        if planned is None or planned.reason not in LACKING_PODS:
            return None
        return StatusReport(
            status=pod_gang_marks.mark_resting(gang, rest.failure, times=rest.begun_anew, until=rest.until, now=now)
        )

    def placed(self, gang: GangFact, now: float) -> StatusReport:
        """The report that all planned pods are bound. If a Gang has grown by these pods, the event says that."""
        following, pods = gang.status.next_size, self._state.pod_gangs.group(gang.key)
        if following is not None:
            status = mark_grown(gang, (pod.node for pod in pods.going_pods()), now=now)
            return StatusReport(
                status=self._with_what_follows(gang, status, now),
                event=events.members_joined(following.size),
                written=self._metrics.size_changes.labels("grow").inc,
            )
        planned = gang.status.condition(Condition.PLANNED)
        note = planned.message if planned else ""
        nodes = (pod.node for pod in self._state.pod_gangs.group(gang.key).going_pods())
        return StatusReport(
            status=self._with_what_follows(gang, pod_gang_marks.mark_pods_placed(gang, nodes, now=now), now),
            event=events.gang_placed(note),
            written=self._metrics.decisions.labels(Condition.PLACED).inc,
        )

    def _with_what_follows(self, gang: GangFact, status: GangStatus, now: float) -> GangStatus:
        """The status of a Gang that was placed. If no other pod of the Gang waits, the same write says so."""
        following = self._state.pod_gang_facts.with_status(gang.key, status)
        if isinstance(following, AcceptedGang) and following.spec.has_bound_pods and following.spec.awaits_pods:
            return pod_gang_marks.mark_awaiting_pods(following, following.spec.awaits_pods, are_bound=True, now=now)
        return status

    def _awaiting(self, gang: GangFact, spec: GangSpec, now: float) -> GangStatus:
        group, since = self._state.pod_gangs.group(gang.key), spec.awaits_since
        goes_back = self._state.pod_gangs.goes_back_to(gang.key) is not None
        if group.going >= spec.minimum and not (gang.status.is_true(Condition.PLACED) or goes_back):
            nodes = (pod.node for pod in group.going_pods())
            return pod_gang_marks.mark_found_bound(gang, spec.awaits_pods, nodes, now=now)
        reason, why = Reason.AWAITS_PODS, spec.awaits_pods
        if since is not None:
            reason = Reason.PODS_MISSING if now - since >= _LONG_SECONDS else Reason.AWAITS_PODS
            why = f"{why.removesuffix('.')}, the first since {rfc3339(since)}."
        status = pod_gang_marks.mark_awaiting_pods(gang, why, are_bound=group.going > 0, now=now, reason=reason)
        # Until the eviction is reported, each status of the Gang names the gang for which its pods have left. So the
        # record that the recorder keeps of the Gang has that name, too.
        taken = self._state.pod_gangs.yielding.unreported.get(gang.key)
        return pod_gang_marks.with_taken(status, gang, taken, now=now)

    def _owner(self, gang: GangKey) -> EventSubject | None:
        """The object for which the operator has created the Gang: an owner, or one of its pods; None if it has not."""
        known = self._state.pod_gangs.objects.get(gang)
        if known is None or known.made_for is None:
            return None
        return owner_subject(known) or self._pod(gang)

    def _pod(self, gang: GangKey) -> EventSubject | None:
        pod = self._state.pod_gangs.group(gang).one_waiting()
        return None if pod is None else pod_subject(self._state.pods[pod])

    def _posting(self, gang: GangKey, subject: EventSubject | None, event: Event) -> Callable[[], None] | None:
        """A callback that posts the event after the status is written; None if there is no object for the event."""
        if subject is None:
            return None
        # Each group of a LeaderWorkerSet is a Gang, and all of them may have the same problem.
        return partial(self._writer.post_about, subject, replace(event, posted_once=True), of=gang)


def _is_reported(status: GangStatus) -> bool:
    planned = status.condition(Condition.PLANNED)
    return planned is not None and planned.reason == Reason.PODS_MISSING
