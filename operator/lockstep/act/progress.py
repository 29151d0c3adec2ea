"""How far the members of a reservation are: counted from pods, never from what we did."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep.belief.reservation import Reservation
from lockstep.facts.failure import Failure
from lockstep.facts.gang import GangFact
from lockstep.facts.pod import PodFact, PodKey, PodPhase
from lockstep.facts.ranks import has_rank, parse_ranks, ranks_from
from lockstep.facts.reasons import Reason


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
    _succeeded: list[int] = field(default_factory=list)

    def count_succeeded(self, rank: int, *, is_bound: bool) -> None:
        """Count a member that has ended well."""
        self.bound += is_bound
        self.running += 1
        self.succeeded += 1
        self._succeeded.append(rank)

    @property
    def succeeded_ranks(self) -> int:
        """Which members have ended well, one bit for each rank."""
        return ranks_from(self._succeeded)

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
    reservation: Reservation,
    members: Mapping[PodKey, PodFact],
    departed: Mapping[PodKey, PodFact],
    *,
    succeeded_ranks: int = 0,
) -> Progress:
    """Count the members of a reservation among the pods that are there and those that were there.

    A rank of which it is remembered that it has succeeded has, whatever pod is there.
    """
    counts = Progress(size=reservation.size)
    for rank, key in enumerate(reservation.pod_keys()):
        pod = members.get(key)
        if has_rank(succeeded_ranks, rank):
            counts.count_succeeded(rank, is_bound=True)
        elif pod is not None:
            _count(counts, pod, rank, is_gone=False)
        elif key in departed:
            _count(counts, departed[key], rank, is_gone=True)
        else:
            counts.unseen += 1
    return counts


def remembered_ranks(gang: GangFact, reservation: Reservation) -> int:
    """The members of that attempt of which the gang's status remembers that they have ended well."""
    status = gang.status
    return parse_ranks(status.succeeded_ranks) if status.attempt == reservation.attempt else 0


def _count(counts: Progress, pod: PodFact, rank: int, *, is_gone: bool) -> None:
    if pod.phase is PodPhase.FAILED:
        _count_failed(counts, pod)
    elif pod.phase is PodPhase.SUCCEEDED:
        counts.count_succeeded(rank, is_bound=bool(pod.node))
    elif is_gone or pod.is_deleting:
        what = "was deleted" if is_gone else "is being deleted"
        counts.disrupted = Failure(reason=Reason.POD_LOST, message=f"pod {pod.key.name} {what} before it had ended")
    else:
        counts.bound += bool(pod.node)
        counts.running += pod.phase is PodPhase.RUNNING


def _count_failed(counts: Progress, pod: PodFact) -> None:
    counts.bound += bool(pod.node)
    if pod.is_disrupted:
        message = f"pod {pod.key.name} on node {pod.node} was turned away: {pod.ended_because}"
        counts.disrupted = Failure(reason=Reason.POD_REJECTED, message=message)
    else:
        counts.failed = f"Pod {pod.key.name} failed: {pod.ended_because}."
