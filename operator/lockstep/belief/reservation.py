"""What one attempt of a gang holds, and how it stands in the gang's status."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coschedule import GangKey, Members
from lockstep.api.membership import LARGEST_ATTEMPT, pod_name
from lockstep.facts.gang import GangFact, GangStatus
from lockstep.facts.pod import Membership, PodFact, PodKey, Request
from lockstep.facts.ranks import parse_ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What one attempt of a gang holds: so many members on these nodes, ranks along the list."""

    gang: GangKey
    gang_uid: str
    attempt: int
    members: tuple[Members, ...]
    request: Request
    start: float
    expected_finish: float | None
    succeeded_ranks: int = 0

    @property
    def size(self) -> int:
        """How many members the gang has."""
        return sum(entry.count for entry in self.members)

    def nodes_by_rank(self) -> Iterator[str]:
        """The node of each rank, from 0 on."""
        for entry in self.members:
            yield from [entry.node] * entry.count

    def memberships(self) -> Iterator[Membership]:
        """What tells the member of each rank from every other pod."""
        for rank in range(self.size):
            yield Membership(self.gang, self.gang_uid, self.attempt, rank)

    def pod_keys(self) -> Iterator[PodKey]:
        """The pod of each rank: a function of gang, attempt and rank, so that every request can be repeated."""
        for rank in range(self.size):
            yield PodKey(self.gang.namespace, pod_name(self.gang.name, self.attempt, rank))


def reserved_in_status(gang: GangFact) -> Reservation | None:
    """What the gang's status says it holds.

    A size that its spec does not allow was not written by us: such a gang holds nothing, and what pods it has are
    strays. Nobody can make belief hold more members than the largest gang has.
    """
    status = gang.status
    if status.reserved_at is None or gang.spec is None:
        return None
    if not gang.spec.minimum <= sum(entry.count for entry in status.members) <= gang.spec.maximum:
        return None
    return Reservation(
        gang=gang.key,
        gang_uid=gang.uid,
        attempt=status.attempt,
        members=status.members,
        request=gang.spec.request,
        start=status.start if status.start is not None else status.reserved_at,
        expected_finish=status.expected_finish,
        succeeded_ranks=parse_ranks(status.succeeded_ranks),
    )


def next_attempt(status: GangStatus, members: Iterable[PodFact]) -> int:
    """The number of the next attempt; after the largest that fits into a pod's name they begin again.

    Where etcd was set back there may be members of an attempt that the status knows nothing of: its number is taken.
    """
    taken = (pod.member.attempt for pod in members if pod.member is not None)
    return max(status.attempt, *taken, 0) % LARGEST_ATTEMPT + 1
