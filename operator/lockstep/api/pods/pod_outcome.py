"""What has become of a member: one function of its pod's state, whatever the order in which that came about.

The first row that applies counts:

=============================================================================  ============
Failed, no container has started, and the message is that of a rejection       ``REJECTED``
not ended, and not being deleted                                               ``GOING``
being deleted, and not known to have ended by itself before                    ``DELETED``
Failed, with a reason of its node's that is not the deadline of the template   ``DISRUPTED``
``DisruptionTarget`` is True, and not known to have ended by itself before     ``DISRUPTED``
ended well                                                                     ``SUCCEEDED``
ended otherwise                                                                ``FAILED``
=============================================================================  ============

A pod has ended by itself when all of its containers have, sidecars aside. That time is compared with the time of the
request to delete it, which is ``deletionTimestamp`` less the grace, and with that of the condition. Both have whole
seconds and come from two clocks: a pod of which they are equal, or one is missing, is lost.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.api.conditions import condition_of
from lockstep.api.pods.exclusive import is_sidecar
from lockstep.api.times import epoch_seconds
from lockstep.facts.pods.pod import PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome

Manifest = Mapping[str, Any]

# How each rejection by a kubelet begins, whatever its reason.
_REJECTION = "Pod was rejected"
# The one reason with which a kubelet ends a pod as its own spec asks for. All others are the node's.
_OWN_DEADLINE = "DeadlineExceeded"
# A kubelet writes DisruptionTarget when the containers have ended, everybody else before they are asked to.
_BY_KUBELET = "TerminationByKubelet"
_BEFORE_ANY_END = float("-inf")


def outcome_of(phase: PodPhase, metadata: Manifest, spec: Manifest, status: Manifest) -> PodOutcome:
    """What has become of the member whose pod is in that phase, as the module says."""
    if rejection_of(phase, status):
        return PodOutcome.REJECTED
    is_deleting = "deletionTimestamp" in metadata
    if not phase.is_over and not is_deleting:
        return PodOutcome.GOING
    end = _own_end(phase, spec, status)
    if is_deleting and not _is_before(end, _deletion_asked_at(metadata)):
        return PodOutcome.DELETED
    if _ended_by_node(phase, status) or not _is_before(end, _disrupted_at(status)):
        return PodOutcome.DISRUPTED
    return PodOutcome.FAILED if phase is PodPhase.FAILED else PodOutcome.SUCCEEDED


def rejection_of(phase: PodPhase, status: Manifest) -> str:
    """The reason with which a kubelet rejected the pod; '' where none did.

    Every rejection has the same mark, a message, and no container that has started: what ran was not rejected.
    """
    if phase is not PodPhase.FAILED or not (status.get("message") or "").startswith(_REJECTION):
        return ""
    is_started = any(_has_started(one) for one in (*_main(status), *(status.get("initContainerStatuses") or ())))
    return "" if is_started else status.get("reason") or "Rejected"


def is_done(phase: PodPhase, spec: Manifest, status: Manifest) -> bool:
    """Whether a pod has ended well by itself but for its sidecars, which still run, before the cluster asked for it."""
    end = _own_end(phase, spec, status) if phase is PodPhase.RUNNING else None
    return end is not None and _is_before(end, _disrupted_at(status))


def _is_before(end: float | None, asked_at: float | None) -> bool:
    """Whether the pod ended by itself before its end was asked for, if it ever was."""
    return asked_at is None or (end is not None and end < asked_at)


def _deletion_asked_at(metadata: Manifest) -> float | None:
    """When somebody first asked for the deletion, whether the grace was shortened later or not."""
    by = epoch_seconds(metadata["deletionTimestamp"])
    return None if by is None else by - (metadata.get("deletionGracePeriodSeconds") or 0)


def _ended_by_node(phase: PodPhase, status: Manifest) -> bool:
    """Whether the pod's node ended it: a pod whose containers ended by themselves has no reason of its own."""
    return phase is PodPhase.FAILED and (status.get("reason") or _OWN_DEADLINE) != _OWN_DEADLINE


def _disrupted_at(status: Manifest) -> float | None:
    """When the cluster asked for the pod's end, as its condition says; ``None`` where it did not."""
    condition = condition_of(status, "DisruptionTarget")
    if condition is None or condition["status"] != "True":
        return None
    since = None if condition.get("reason") == _BY_KUBELET else epoch_seconds(condition.get("lastTransitionTime"))
    return _BEFORE_ANY_END if since is None else since


def _own_end(phase: PodPhase, spec: Manifest, status: Manifest) -> float | None:
    """When the pod ended by itself, by the clock of the API server as far as that is known; ``None``: unknown.

    A container that fails and is run again there has not ended the pod.
    """
    if phase is not PodPhase.FAILED and not _has_ended_well(spec, status):
        return None
    is_run_again = spec.get("restartPolicy") == "OnFailure" and status.get("reason") != _OWN_DEADLINE
    if phase is PodPhase.FAILED and is_run_again:
        return None
    times = [_time(end.get("finishedAt")) for end in _ends(spec, status)]
    known = [time for time in times if time is not None]
    return max(known) + _seconds_behind(status) if known and len(known) == len(times) else None


def _has_ended_well(spec: Manifest, status: Manifest) -> bool:
    ends = _ends_of_main(spec, status)
    return ends is not None and all(end.get("exitCode") == 0 for end in ends)


def _ends(spec: Manifest, status: Manifest) -> Sequence[Manifest]:
    """How the containers ended that had to end before the pod could: those of its main part, or of its init part."""
    ends = _ends_of_main(spec, status)
    if ends is not None:
        return ends
    if any("waiting" not in (one.get("state") or {}) for one in _main(status)):
        return ()
    sidecars = {one["name"] for one in spec.get("initContainers") or () if is_sidecar(one)}
    ended = [_end(one) for one in status.get("initContainerStatuses") or () if one["name"] not in sidecars]
    return [end for end in ended if end is not None]


def _ends_of_main(spec: Manifest, status: Manifest) -> Sequence[Manifest] | None:
    """How each container of the main part ended; ``None`` where one has not, or nothing is said of it."""
    by_name = {one["name"]: _end(one) for one in _main(status)}
    ends = [by_name.get(one["name"]) for one in spec["containers"]]
    known = [end for end in ends if end is not None]
    return known if len(known) == len(ends) else None


def _main(status: Manifest) -> Sequence[Manifest]:
    return status.get("containerStatuses") or ()


def _end(container: Manifest) -> Manifest | None:
    end: Manifest | None = (container.get("state") or {}).get("terminated")
    return end


def _has_started(container: Manifest) -> bool:
    """Whether it ever ran. One that a kubelet could not find when it gave the pod up has an end without a start."""
    states = (container.get("state") or {}, container.get("lastState") or {})
    ends = (state.get("terminated") or {} for state in states)
    return "running" in states[0] or any(_time(end.get("startedAt")) is not None for end in ends)


def _seconds_behind(status: Manifest) -> float:
    """How far the node's clock is behind that of the API server at least: no pod is begun before it is bound."""
    bound = condition_of(status, "PodScheduled")
    bound_at, begun = epoch_seconds((bound or {}).get("lastTransitionTime")), epoch_seconds(status.get("startTime"))
    return 0.0 if bound_at is None or begun is None else max(0.0, bound_at - begun)


def _time(text: str | None) -> float | None:
    """A time that a runtime knows: what it does not know it may say as that of the epoch."""
    seconds = epoch_seconds(text)
    return seconds if seconds is not None and seconds > 0 else None
