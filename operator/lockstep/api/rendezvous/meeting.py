"""The members of one attempt by rank, with their DNS names, and which of them do work."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from coschedule import Members, Sizes
from lockstep.api.membership import pod_name
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.network import NetworkSpec
from lockstep.facts.pods.pod import Request

_MILLI = 1000

# The most characters of a list of hosts in a variable. Every container of each pod has this variable, and a longer list
# would be larger than the rest of the pod.
LONGEST_HOSTS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """The members of one attempt, in the order of their ``ranks``.

    A position in this order indexes ``ranks``, ``hosts``, ``roles``, ``role_ranks`` and ``slots``. It is the rank,
    unless members have left while others ran.

    A role's name is empty if the gang has no roles. ``workers`` are the positions of members that do a part of the
    work. ``host_list`` has all hosts, separated by commas. ``is_wanted`` means that the spec asks for a rendezvous.
    ``changes`` is how often members have come or gone while others ran; None if they never do. ``worker_range`` has the
    fewest and the most workers that the gang may have.
    """

    gang: str
    attempt: int
    network: NetworkSpec
    is_wanted: bool
    changes: int | None
    ranks: Sequence[int]
    hosts: tuple[str, ...]
    host_list: str
    roles: tuple[str, ...]
    role_ranks: tuple[int, ...]
    role_sizes: Mapping[str, int]
    workers: tuple[int, ...]
    slots: tuple[int, ...]
    worker_range: tuple[int, int]

    @property
    def first_host(self) -> str:
        """The host where members meet: that of the first worker."""
        return self.hosts[self.workers[0]]

    def worker_number(self, position: int) -> int | None:
        """The worker number of the member at that position; None if it is not a worker."""
        number = bisect_left(self.workers, position)
        return number if self.workers[number : number + 1] == (position,) else None

    @property
    def has_short_list(self) -> bool:
        """Whether the list of hosts is short enough for a variable."""
        return len(self.host_list) <= LONGEST_HOSTS


def meeting_of(
    gang: AcceptedGang, attempt: int, members: Sequence[Members], ranks: Iterable[int] | None = None
) -> Meeting:
    """The members of one attempt. If ``ranks`` is None, the ranks count from 0."""
    roles = tuple(entry.role for entry in members for _ in range(entry.count))
    by_position = tuple(range(len(roles)) if ranks is None else ranks)
    hosts = tuple(host_of(gang.key.name, attempt, rank) for rank in by_position)
    idle = {role.name for role in gang.spec.roles if not role.load.is_work}
    slots = {role.name: _slots((role.written or role.needs).request) for role in gang.spec.roles}
    return Meeting(
        gang=gang.key.name,
        attempt=attempt,
        network=gang.spec.network or NetworkSpec(),
        is_wanted=gang.spec.network is not None,
        changes=gang.status.member_changes if gang.spec.keeps_members else None,
        ranks=by_position,
        hosts=hosts,
        host_list=",".join(hosts),
        roles=roles,
        role_ranks=tuple(_counted(roles)),
        role_sizes=Counter(roles),
        workers=tuple(position for position, role in enumerate(roles) if role not in idle),
        slots=tuple(slots[role] for role in roles),
        worker_range=_range(role.sizes for role in gang.spec.roles if role.load.is_work),
    )


def host_of(gang: str, attempt: int, rank: int) -> str:
    """The DNS name of a member in its namespace: the name of its pod, below the gang's Service."""
    return f"{pod_name(gang, attempt, rank)}.{gang}"


def _range(sizes: Iterable[Sizes]) -> tuple[int, int]:
    least, most = zip(*((one.minimum, one.maximum) for one in sizes), strict=True)
    return sum(least), sum(most)


def _counted(names: Iterable[str]) -> Iterator[int]:
    """For each name, how often it occurred before."""
    seen: Counter[str] = Counter()
    for name in names:
        yield seen[name]
        seen[name] += 1


def _slots(request: Request) -> int:
    """The number of processes for a member: the whole CPUs that its template requests, and at least one."""
    return max(1, dict(request).get("cpu", 0) // _MILLI)
