"""How far the members of a reservation are: counted from pods, never from what we did."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lockstep.belief.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.failure import Failure
from lockstep.facts.gang import GangFact
from lockstep.facts.pod import PodFact, PodKey, PodPhase
from lockstep.facts.ranks import has_rank, parse_ranks, ranks_from
from lockstep.facts.reasons import Reason


class Loss(NamedTuple):
    """A member that failed or was taken away, and a clause that says why."""

    rank: int
    pod: PodFact
    why: str

    @property
    def is_own_failure(self) -> bool:
        """Whether the member's own program failed: the cluster had no part in it."""
        return self.pod.phase is PodPhase.FAILED and not self.pod.is_disrupted


@dataclass(slots=True, kw_only=True)
class Progress:
    """Counts over the members of one attempt; ended members count as bound, succeeded ones as running too.

    ``unseen``: no watch has ever shown them. ``losses``: who failed or was taken away, by rank. ``disrupted``: why the
    cluster took a member away.
    """

    size: int
    bound: int = 0
    running: int = 0
    succeeded: int = 0
    unseen: int = 0
    losses: list[Loss] = field(default_factory=list)
    disrupted: Failure | None = None
    _succeeded: list[int] = field(default_factory=list)

    def count_succeeded(self, rank: int, *, is_bound: bool) -> None:
        """Count a member that has ended well."""
        self.bound += is_bound
        self.running += 1
        self.succeeded += 1
        self._succeeded.append(rank)

    def disrupt(self, reason: Reason, why: str, *, turned_away_by: str = "") -> None:
        """The cluster took a member away; the last one gives the reason, and each the node that turned it away."""
        before = frozenset[str]() if self.disrupted is None else self.disrupted.turned_away_by
        nodes = before | {turned_away_by} if turned_away_by else before
        self.disrupted = Failure(reason=reason, message=why, turned_away_by=nodes)

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


def progress_of(state: State, gang: GangFact, reservation: Reservation) -> Progress:
    """Count the members that a gang holds nodes for, as watches have shown them and its status remembers them."""
    return progress(
        reservation,
        state.members(gang),
        state.departed(gang),
        succeeded_ranks=remembered_ranks(gang, reservation),
    )


def remembered_ranks(gang: GangFact, reservation: Reservation) -> int:
    """The members of that attempt of which the gang's status remembers that they have ended well."""
    status = gang.status
    return parse_ranks(status.succeeded_ranks) if status.attempt == reservation.attempt else 0


def reported_part(reservation: Reservation, pods: Iterable[PodFact]) -> str:
    """What part of the work that attempt's members say is done: where they differ, the least; '' where none says."""
    attempt = reservation.attempt
    said = (pod.progress for pod in pods if pod.progress and pod.member and pod.member.attempt == attempt)
    return min(said, key=float, default="")


def _count(counts: Progress, pod: PodFact, rank: int, *, is_gone: bool) -> None:
    if pod.phase is PodPhase.FAILED:
        _count_failed(counts, pod, rank)
    elif pod.phase is PodPhase.SUCCEEDED:
        counts.count_succeeded(rank, is_bound=bool(pod.node))
    elif is_gone or pod.is_deleting:
        what = "was deleted" if is_gone else "is being deleted"
        loss = Loss(rank, pod, f"pod {pod.key.name} {what} before it had ended")
        counts.losses.append(loss)
        counts.disrupt(Reason.POD_LOST, loss.why)
    else:
        counts.bound += bool(pod.node)
        counts.running += pod.phase is PodPhase.RUNNING


def _count_failed(counts: Progress, pod: PodFact, rank: int) -> None:
    counts.bound += bool(pod.node)
    if pod.is_disrupted:
        loss = Loss(rank, pod, f"pod {pod.key.name} on node {pod.node} was turned away: {pod.ended_because}")
        counts.disrupt(Reason.POD_REJECTED, loss.why, turned_away_by=pod.node)
    else:
        loss = Loss(rank, pod, f"pod {pod.key.name} failed: {pod.ended_because}")
    counts.losses.append(loss)
