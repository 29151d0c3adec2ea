"""How far the members of a reservation are: counted from pods, never from what we did."""

from collections.abc import Mapping
from dataclasses import dataclass

from lockstep.facts import PodFact, PodKey, PodPhase
from lockstep.failure import Failure
from lockstep.names import Reason
from lockstep.state import Reservation


@dataclass(slots=True, kw_only=True)
class Progress:
    """Counts over the members of one attempt; ended members count as bound, succeeded ones as running too.

    ``unseen``: no watch has ever shown them. ``failed``: why a member's own program failed. ``disrupted``: why the
    cluster took a member away.
    """

    size: int
    bound: int = 0
    running: int = 0
    succeeded: int = 0
    unseen: int = 0
    failed: str | None = None
    disrupted: Failure | None = None

    @property
    def is_bound(self) -> bool:
        """Whether every member is, or was, on its node."""
        return self.bound == self.size

    @property
    def is_running(self) -> bool:
        """Whether every member runs, or has run to its end."""
        return self.running == self.size

    @property
    def has_succeeded(self) -> bool:
        """Whether every member has ended well."""
        return self.succeeded == self.size


def progress(
    reservation: Reservation, members: Mapping[PodKey, PodFact], departed: Mapping[PodKey, PodFact]
) -> Progress:
    """Count the members of a reservation among the pods that are there and those that were there."""
    counts = Progress(size=reservation.size)
    for key in reservation.pod_keys():
        pod = members.get(key)
        if pod is not None:
            _count(counts, pod, is_gone=False)
        elif key in departed:
            _count(counts, departed[key], is_gone=True)
        else:
            counts.unseen += 1
    return counts


def _count(counts: Progress, pod: PodFact, *, is_gone: bool) -> None:
    if pod.phase is PodPhase.FAILED:
        _count_failed(counts, pod)
        return
    if pod.phase is not PodPhase.SUCCEEDED and (is_gone or pod.is_deleting):
        what = "was deleted" if is_gone else "is being deleted"
        counts.disrupted = Failure(reason=Reason.POD_LOST, message=f"pod {pod.key.name} {what} before it had ended")
        return
    counts.bound += bool(pod.node)
    counts.running += pod.phase in (PodPhase.RUNNING, PodPhase.SUCCEEDED)
    counts.succeeded += pod.phase is PodPhase.SUCCEEDED


def _count_failed(counts: Progress, pod: PodFact) -> None:
    counts.bound += bool(pod.node)
    if pod.is_disrupted:
        message = f"pod {pod.key.name} on node {pod.node} was turned away: {pod.ended_because}"
        counts.disrupted = Failure(reason=Reason.POD_REJECTED, message=message)
    else:
        counts.failed = f"Pod {pod.key.name} failed: {pod.ended_because}."
