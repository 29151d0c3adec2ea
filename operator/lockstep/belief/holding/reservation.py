"""The reservation of one attempt, and how the gang's status represents it."""

import math
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple

from coschedule import GangKey, Members, Placement, Sizes
from lockstep.api.membership import LARGEST_ATTEMPT, pod_name
from lockstep.api.parts import as_formatted
from lockstep.belief.holding.ranked_members import RankedMembers, ranked, with_more
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import Membership, PodFact, PodKey, Request
from lockstep.facts.ranks import has_rank, parse_ranks, ranks_in

# No pod has this number as its attempt.
_NO_ATTEMPT = -1


class ReservedMember(NamedTuple):
    """One member of a reservation, and its pod, which may not exist yet."""

    rank: int
    role: str
    node: str
    pod: PodKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """What one attempt of a gang holds: numbers of members on nodes; ranks rise along the list.

    ``requests`` has the request of one member, by the name of its role. ``gapped`` has the ranks, one bit each, if they
    have a gap; None if they are all ranks from 0 on. ``joining`` has the ranks of members that are to join the running
    members, one bit each.
    """

    gang: GangKey
    gang_uid: str
    attempt: int
    members: tuple[Members, ...]
    requests: Mapping[str, Request]
    start: float
    expected_finish: float | None
    succeeded_ranks: int = 0
    gapped: int | None = None
    joining: int = 0
    size: int = field(init=False, repr=False, compare=False)
    """The number of members, summed once: loops over members need it, and there may be as many entries as members."""
    _ends: tuple[int, ...] = field(init=False, repr=False, compare=False)
    """The number of members up to and including each entry; empty if there is one role."""

    def __post_init__(self) -> None:
        """Count the members once."""
        has_roles = len(self.requests) > 1
        object.__setattr__(self, "_ends", tuple(accumulate(one.count for one in self.members)) if has_roles else ())
        object.__setattr__(self, "size", sum(entry.count for entry in self.members))

    @property
    def ranks(self) -> Iterable[int]:
        """The ranks of the members, from the lowest on."""
        return range(self.size) if self.gapped is None else ranks_in(self.gapped)

    @property
    def rank_bits(self) -> int:
        """The ranks of the members, one bit each."""
        return (1 << self.size) - 1 if self.gapped is None else self.gapped

    def has_rank(self, rank: int) -> bool:
        """Whether a member has that rank."""
        return rank < self.size if self.gapped is None else has_rank(self.gapped, rank)

    def nodes(self) -> Mapping[int, str]:
        """The node of each rank."""
        return dict(zip(self.ranks, (entry.node for entry in self.members for _ in range(entry.count)), strict=True))

    def role_of(self, rank: int) -> str:
        """The role of the member of that rank; there must be such a member."""
        if not self._ends:
            return self.members[0].role
        position = rank if self.gapped is None else (self.gapped & ((1 << rank) - 1)).bit_count()
        return self.members[bisect_right(self._ends, position)].role

    def roles(self) -> Mapping[int, str]:
        """The role of each rank."""
        return {member.rank: member.role for member in self.by_rank()}

    @property
    def without_newcomers(self) -> "Reservation":
        """The reservation without members that are to join."""
        return self._of_ranks(lambda rank: not has_rank(self.joining, rank)) if self.joining else self

    @property
    def newcomers(self) -> "Reservation":
        """The reservation with only the members that are to join."""
        return self._of_ranks(lambda rank: has_rank(self.joining, rank))

    def without(self, ranks: Container[int]) -> "Reservation":
        """The reservation without the members of these ranks."""
        return self._of_ranks(lambda rank: rank not in ranks)

    def with_known_requests(self, before: "Reservation") -> "Reservation":
        """The reservation, with the requests of ``before`` for roles whose requests are unknown now."""
        known = {role: request or before.requests.get(role, request) for role, request in self.requests.items()}
        return replace(self, requests=known)

    def _of_ranks(self, is_kept: Callable[[int], bool]) -> "Reservation":
        kept = ranked({rank: (role, node) for rank, role, node, _ in self.by_rank() if is_kept(rank)})
        return replace(self, members=kept.members, gapped=kept.gapped, joining=0)

    def by_rank(self) -> Iterator[ReservedMember]:
        """The members, from the lowest rank on."""
        places = (entry for entry in self.members for _ in range(entry.count))
        for rank, pod, entry in zip(self.ranks, self.pod_keys(), places, strict=True):
            yield ReservedMember(rank, entry.role, entry.node, pod)

    def memberships(self) -> Iterator[Membership]:
        """The identity of the member of each rank among all pods."""
        for rank in self.ranks:
            yield self.membership(rank)

    def ranks_on(self, nodes: Container[str]) -> set[int]:
        """The ranks of the members on these nodes."""
        return {member.rank for member in self.by_rank() if member.node in nodes}

    def membership(self, rank: int) -> Membership:
        """The identity of the member of that rank among all pods."""
        return Membership(self.gang, self.gang_uid, self.attempt, rank)

    def is_for(self, member: Membership) -> bool:
        """Whether ``member`` belongs to this reservation."""
        its = (member.gang, member.gang_uid, member.attempt) == (self.gang, self.gang_uid, self.attempt)
        return its and self.has_rank(member.rank)

    def pod_keys(self) -> Iterator[PodKey]:
        """The pod of each rank. Its name depends only on gang, attempt and rank, so every request can be repeated."""
        for rank in self.ranks:
            yield PodKey(self.gang.namespace, pod_name(self.gang.name, self.attempt, rank))


def reserved_for(gang: AcceptedGang, placement: Placement, *, attempt: int, now: float) -> Reservation:
    """The reservation of an attempt that starts now: exactly what :func:`reserved_in_status` reads back later.

    The gang starts later than planned, since the plan took some time. So its expected finish is later by that time.
    """
    seconds = placement.finish - placement.start
    return Reservation(
        gang=gang.key,
        gang_uid=gang.uid,
        attempt=attempt,
        members=as_formatted(placement.members),
        requests=requests_of(gang.spec),
        start=now,
        expected_finish=None if math.isinf(seconds) else now + seconds,
    )


def reserved_in_status(gang: GangFact) -> Reservation | None:
    """The reservation in the gang's status; None if it has none.

    If the spec does not allow the size in the status, another client has written the status. Then the gang holds
    nothing, and its pods are stale. So no user can make the cache hold more members than the largest gang has. The
    start is at most the time of the reservation. An expected finish before the start is dropped.
    """
    status = gang.status
    if status.reserved_at is None or not isinstance(gang, AcceptedGang):
        return None
    found = _members_in(gang.spec, status)
    if found is None:
        return None
    start = status.reserved_at if status.start is None else min(status.start, status.reserved_at)
    finish = status.expected_finish
    return Reservation(
        gang=gang.key,
        gang_uid=gang.uid,
        attempt=status.attempt,
        members=found.members,
        requests=requests_of(gang.spec),
        start=start,
        expected_finish=None if finish is None or finish < start else finish,
        succeeded_ranks=parse_ranks(status.succeeded_ranks),
        gapped=found.gapped,
        joining=found.joining,
    )


def _members_in(spec: GangSpec, status: GangStatus) -> RankedMembers | None:
    """The members in a status, with members that are to join; None if Lockstep has not written the status.

    No member is to join if the spec does not allow the size, or if other members would move.
    """
    gapped = parse_ranks(status.ranks) if status.ranks else None
    size = sum(entry.count for entry in status.members)
    if not _are_sizes(spec, status.members, _is_in_range) or (gapped is not None and gapped.bit_count() != size):
        return None
    before = RankedMembers(status.members, gapped)
    if not spec.keeps_members or status.joining_size is None:
        return before
    if not _are_sizes(spec, status.joining_size.members, _is_in_range):
        return before
    after = with_more(before.members, before.gapped, status.joining_size.members)
    return before if after is None else after


def next_in_status(gang: GangFact) -> Reservation | None:
    """The next size in the gang's status, as a reservation of no attempt; None if no room is kept for this size.

    No room is kept if the spec does not allow the size, or if the gang is suspended, deleted or has ended. If members
    have notice that the attempt will end, room for the next attempt is kept. If members join while the attempt goes on,
    the result is None: they belong to the reservation of the attempt. For a Gang, the result is None, too: the
    reservation of an attempt keeps the room for its new pods.
    """
    following, status = gang.status.next_size, gang.status
    is_over = status.end is not None or is_pod_gang(gang.key)
    if following is None or is_over or not isinstance(gang, AcceptedGang):
        return None
    goes_on = status.reserved_at is not None and not status.is_being_undone and status.noticed_size is None
    if goes_on or gang.policies.is_suspended or gang.is_deleting:
        return None
    if not _are_sizes(gang.spec, following.members, Sizes.has):
        return None
    return next_reservation(gang, gang.spec, following)


def next_reservation(gang: GangFact, spec: GangSpec, following: NextSize) -> Reservation:
    """The reservation at the gang's next size; it starts when the members of the present size are asked to end."""
    start, finish = following.asked_to_end_at, following.expected_finish
    return Reservation(
        gang=gang.key,
        gang_uid=gang.uid,
        attempt=_NO_ATTEMPT,
        members=following.members,
        requests=requests_of(spec),
        start=start,
        expected_finish=None if finish is None else max(finish, start),
    )


def requests_of(spec: GangSpec) -> dict[str, Request]:
    """The request of a member, by the name of its role."""
    return {role.name: role.request for role in spec.roles}


def _are_sizes(spec: GangSpec, members: Iterable[Members], allow: Callable[[Sizes, int], bool]) -> bool:
    """Whether all members have a role of the spec, and ``allow`` accepts the number of members of each role."""
    counts = {role.name: 0 for role in spec.roles}
    for entry in members:
        if entry.role not in counts:
            return False
        counts[entry.role] += entry.count
    return all(allow(role.sizes, counts[role.name]) for role in spec.roles)


def _is_in_range(sizes: Sizes, size: int) -> bool:
    """Whether a running gang may keep that size, even if its user does not list the size any more."""
    return sizes.minimum <= size <= sizes.maximum


def next_attempt(status: GangStatus, members: Iterable[PodFact]) -> int:
    """The number of the next attempt. After the largest number that fits into a pod's name, numbers restart at 1.

    If etcd was restored, members of an attempt that the status does not know may exist. The number of such an attempt
    is not used again.
    """
    taken = (pod.member.attempt for pod in members if pod.member is not None)
    last = max(status.attempt, *taken, 0)
    return 1 if last >= LARGEST_ATTEMPT else last + 1
