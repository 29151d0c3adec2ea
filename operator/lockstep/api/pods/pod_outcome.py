"""The outcome of a member. It depends only on the present state of its pod, and not on the order of events.

The first row that applies counts::

    Failed, no container has started, and the message is that of a rejection       REJECTED
    not ended, and not being deleted                                               GOING
    being deleted, and not known to have ended by itself before                    DELETED
    Failed, with a reason other than the deadline of the template                  DISRUPTED
    DisruptionTarget is True, and not known to have ended by itself before         DISRUPTED
    succeeded                                                                      SUCCEEDED
    ended otherwise                                                                FAILED

A pod has ended by itself when all of its containers except sidecars have ended. The time of this end is compared with
two other times: that of the condition, and that of the request to delete the pod. The latter is ``deletionTimestamp``
minus the grace period. These times have whole seconds and come from two clocks. If times are equal or missing, the pod
counts as lost.

A later request to delete the pod hides the time of the first request. The cache keeps the outcome of the first request
(``belief/holding/pods.py``).
"""

from collections.abc import Sequence

from lockstep.api.conditions import condition_of
from lockstep.api.manifest import Manifest
from lockstep.api.pods.exclusive import is_sidecar
from lockstep.api.times import epoch_seconds
from lockstep.facts.pods.pod import PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome

# The message of every rejection by a kubelet begins with these words.
_REJECTION = "Pod was rejected"
# The only reason with which a kubelet ends a pod because of the pod's own spec. All other reasons are those of the
# node.
_OWN_DEADLINE = "DeadlineExceeded"
# With this reason, a kubelet writes DisruptionTarget after the containers have ended. Other writers write the condition
# before they request the end.
_BY_KUBELET = "TerminationByKubelet"
_BEFORE_ANY_END = float("-inf")


def outcome_of(phase: PodPhase, metadata: Manifest, spec: Manifest, status: Manifest) -> PodOutcome:
    """The outcome of a member whose pod is in that phase, by the table of this module."""
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
    """The reason with which a kubelet rejected the pod; '' if no kubelet did.

    The message of every rejection begins with the same words, and no container has started.
    """
    if phase is not PodPhase.FAILED or not (status.get("message") or "").startswith(_REJECTION):
        return ""
    is_started = any(_has_started(one) for one in (*_main(status), *(status.get("initContainerStatuses") or ())))
    return "" if is_started else status.get("reason") or "Rejected"


def is_done(phase: PodPhase, spec: Manifest, status: Manifest) -> bool:
    """Whether all containers of a running pod have succeeded before the cluster requested its end. Sidecars may run."""
    end = _own_end(phase, spec, status) if phase is PodPhase.RUNNING else None
    return end is not None and _is_before(end, _disrupted_at(status))


def _is_before(end: float | None, asked_at: float | None) -> bool:
    """Whether the pod ended by itself before its end was requested. True if its end was never requested."""
    return asked_at is None or (end is not None and end < asked_at)


def _deletion_asked_at(metadata: Manifest) -> float | None:
    """When the deletion was requested for the last time, in seconds since 1970."""
    by = epoch_seconds(metadata["deletionTimestamp"])
    return None if by is None else by - (metadata.get("deletionGracePeriodSeconds") or 0)


def _ended_by_node(phase: PodPhase, status: Manifest) -> bool:
    """Whether the node ended the pod: the pod has failed, with another reason than the deadline of its template."""
    return phase is PodPhase.FAILED and (status.get("reason") or _OWN_DEADLINE) != _OWN_DEADLINE


def _disrupted_at(status: Manifest) -> float | None:
    """When the cluster requested the pod's end, by the condition DisruptionTarget; None if it did not."""
    condition = condition_of(status, "DisruptionTarget")
    if condition is None or condition["status"] != "True":
        return None
    since = None if condition.get("reason") == _BY_KUBELET else epoch_seconds(condition.get("lastTransitionTime"))
    return _BEFORE_ANY_END if since is None else since


def _own_end(phase: PodPhase, spec: Manifest, status: Manifest) -> float | None:
    """When the pod ended by itself, estimated on the API server's clock; None if it did not, or if this is unknown.

    If failed containers are restarted (``OnFailure``), a failed pod has not ended by itself, except by its deadline.
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
    """The ends of the containers that had to end before the pod.

    If all of ``spec.containers`` have ended, these are their ends. If all of them still wait, these are the ends of
    init containers, except sidecars. Otherwise there are none.
    """
    ends = _ends_of_main(spec, status)
    if ends is not None:
        return ends
    if any("waiting" not in (one.get("state") or {}) for one in _main(status)):
        return ()
    sidecars = {one["name"] for one in spec.get("initContainers") or () if is_sidecar(one)}
    ended = [_end(one) for one in status.get("initContainerStatuses") or () if one["name"] not in sidecars]
    return [end for end in ended if end is not None]


def _ends_of_main(spec: Manifest, status: Manifest) -> Sequence[Manifest] | None:
    """The end of each of ``spec.containers``; None if a container has not ended or has no status."""
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
    """Whether the container ever ran. A kubelet writes no start time for a container that is missing at the end."""
    states = (container.get("state") or {}, container.get("lastState") or {})
    ends = (state.get("terminated") or {} for state in states)
    return "running" in states[0] or any(_time(end.get("startedAt")) is not None for end in ends)


def _seconds_behind(status: Manifest) -> float:
    """By how many seconds, at least, the node's clock is behind the API server's.

    The node states when the pod started, and no pod starts before it is bound.
    """
    bound = condition_of(status, "PodScheduled")
    bound_at, begun = epoch_seconds((bound or {}).get("lastTransitionTime")), epoch_seconds(status.get("startTime"))
    return 0.0 if bound_at is None or begun is None else max(0.0, bound_at - begun)


def _time(text: str | None) -> float | None:
    """A time that a runtime has written; None if it is unknown. Runtimes may write an unknown time as the epoch."""
    seconds = epoch_seconds(text)
    return seconds if seconds is not None and seconds > 0 else None
