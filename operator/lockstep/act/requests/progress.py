"""The progress of a reservation's members, counted from pods, and never from the operator's own requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure, LostOn
from lockstep.facts.pods.pod import PodFact, PodKey, PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.ranks import has_rank, parse_ranks, ranks_from
from lockstep.facts.reasons import Reason


class Loss(NamedTuple):
    """A member that failed or was taken away, its outcome, and a clause that says why."""

    rank: int
    pod: PodFact
    outcome: PodOutcome
    why: str

    @property
    def is_own_failure(self) -> bool:
        """Whether the member's own program failed, without a cause in the cluster."""
        return not self.outcome.is_loss

    @property
    def lost_on(self) -> LostOn:
        """The node where the member was lost, with the kubelet's reason if it rejected the member."""
        pod = self.pod
        return LostOn(pod.node, self.outcome, pod.rejected_for, pod.ended_because if pod.rejected_for else "")


@dataclass(slots=True, kw_only=True)
class Progress:
    """Counts of the members of one attempt.

    Ended members that had a node count as bound. Succeeded members also count as running.

    ``unseen_ranks`` are the ranks of members that no watch has ever shown. ``losses`` are members that failed or were
    taken away, by rank.
    """

    size: int
    bound: int = 0
    running: int = 0
    succeeded: int = 0
    unseen_ranks: list[int] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)
    _taken_because: Reason | None = None
    _succeeded: list[int] = field(default_factory=list)

    def count_succeeded(self, rank: int, *, is_bound: bool) -> None:
        """Count a member that has succeeded."""
        self.bound += is_bound
        self.running += 1
        self.succeeded += 1
        self._succeeded.append(rank)

    def lose(self, loss: Loss, reason: Reason) -> None:
        """Count a member that the cluster took away."""
        self.losses.append(loss)
        self._taken_because = reason

    @property
    def disrupted(self) -> Failure | None:
        """Why the cluster took members away: the last reason, and the nodes of these members; None if it took none."""
        if self._taken_because is None:
            return None
        taken = [loss for loss in self.losses if not loss.is_own_failure]
        lost_on = frozenset(loss.lost_on for loss in taken if loss.pod.node)
        return Failure(reason=self._taken_because, message=taken[-1].why, lost_on=lost_on)

    @property
    def succeeded_ranks(self) -> int:
        """The ranks that have succeeded, one bit each."""
        return ranks_from(self._succeeded)

    @property
    def unseen(self) -> int:
        """The number of members that no watch has ever shown."""
        return len(self.unseen_ranks)

    @property
    def is_bound(self) -> bool:
        """Whether every member is, or was, on its node."""
        return self.bound == self.size

    @property
    def is_running(self) -> bool:
        """Whether every member runs or has succeeded."""
        return self.running == self.size

    @property
    def has_succeeded(self) -> bool:
        """Whether every member has succeeded."""
        return self.succeeded == self.size


def progress(
    reservation: Reservation,
    members: Mapping[PodKey, PodFact],
    departed: Mapping[PodKey, PodFact],
    *,
    succeeded_ranks: int = 0,
) -> Progress:
    """Count the members of a reservation among the pods that exist and those that are gone.

    Joining members are not counted. A rank that the status remembers as succeeded counts as such, whatever pod exists.
    """
    present = reservation.without_newcomers
    counts = Progress(size=present.size)
    for rank, key in zip(present.ranks, present.pod_keys(), strict=True):
        pod = members.get(key)
        if has_rank(succeeded_ranks, rank):
            counts.count_succeeded(rank, is_bound=True)
        elif pod is not None:
            _count(counts, pod, rank, is_gone=False)
        elif key in departed:
            _count(counts, departed[key], rank, is_gone=True)
        else:
            counts.unseen_ranks.append(rank)
    return counts


def progress_of(state: State, gang: GangFact, reservation: Reservation) -> Progress:
    """Count the members of a gang's reservation, from the cache and its status."""
    return progress(
        reservation,
        state.members(gang),
        state.departed(gang),
        succeeded_ranks=remembered_ranks(gang, reservation),
    )


def remembered_ranks(gang: GangFact, reservation: Reservation) -> int:
    """The ranks of the reservation's attempt that succeeded according to the gang's status, one bit each."""
    status = gang.status
    return parse_ranks(status.succeeded_ranks) if status.attempt == reservation.attempt else 0


def _count(counts: Progress, pod: PodFact, rank: int, *, is_gone: bool) -> None:
    outcome = pod.outcome_once_gone if is_gone else pod.outcome
    match outcome:
        case PodOutcome.GOING:
            counts.bound += bool(pod.node)
            counts.running += pod.phase is PodPhase.RUNNING
        case PodOutcome.SUCCEEDED:
            counts.count_succeeded(rank, is_bound=bool(pod.node))
        case PodOutcome.FAILED:
            counts.bound += bool(pod.node)
            counts.losses.append(Loss(rank, pod, outcome, f"pod {pod.key.name} failed: {pod.ended_because}"))
        case PodOutcome.REJECTED:
            counts.bound += bool(pod.node)
            why = f"pod {pod.key.name} on node {pod.node} was rejected: {pod.ended_because}"
            counts.lose(Loss(rank, pod, outcome, why), Reason.POD_REJECTED)
        case PodOutcome.DISRUPTED:
            counts.bound += bool(pod.node)
            counts.lose(Loss(rank, pod, outcome, _disrupted(pod)), Reason.POD_REJECTED)
        case PodOutcome.DELETED:
            what = "was deleted" if is_gone else "is being deleted"
            why = f"pod {pod.key.name} {what} before its end"
            counts.lose(Loss(rank, pod, outcome, why), Reason.POD_LOST)
        case _:
            assert_never(outcome)


def _disrupted(pod: PodFact) -> str:
    """A clause about a member that the cluster ended, with the reason if the pod has one."""
    because = f": {pod.ended_because}" if pod.ended_because else ""
    return f"pod {pod.key.name} on node {pod.node} was ended by Kubernetes{because}"
