"""Who meets: the members of one attempt by rank, their names in DNS, and which of them do the work."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coschedule import Members
from lockstep.api.membership import pod_name
from lockstep.facts.gang import GangFact
from lockstep.facts.network import NetworkSpec

_MILLI = 1000

# Each pod has the list, in each of its containers: what is longer would weigh more than all the rest of the pod.
LONGEST_HOSTS = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One attempt's members. Ranks index ``hosts``, ``roles`` and ``slots``.

    ``ranks`` are those of each role, whose name is empty where the gang has none; ``workers`` are those that do part of
    the work; ``host_list`` has all hosts with commas between. ``is_wanted``: the gang's owner counts on the members to
    find each other.
    """

    gang: str
    attempt: int
    network: NetworkSpec
    is_wanted: bool
    hosts: tuple[str, ...]
    host_list: str
    roles: tuple[str, ...]
    ranks: Mapping[str, range]
    workers: tuple[int, ...]
    slots: tuple[int, ...]

    @property
    def first_host(self) -> str:
        """Where members meet: the host of the first worker."""
        return self.hosts[self.workers[0]]

    def worker_number(self, rank: int) -> int | None:
        """The member's number among those that do part of the work, if it does."""
        position = bisect_left(self.workers, rank)
        return position if self.workers[position : position + 1] == (rank,) else None

    @property
    def has_short_list(self) -> bool:
        """Whether the hosts fit into a variable."""
        return len(self.host_list) <= LONGEST_HOSTS


def meeting_of(gang: GangFact, attempt: int, members: Sequence[Members]) -> Meeting:
    """The meeting of the members of one attempt."""
    assert gang.spec is not None, "a refused gang has no members"
    size = sum(entry.count for entry in members)
    hosts = tuple(host_of(gang.key.name, attempt, rank) for rank in range(size))
    return Meeting(
        gang=gang.key.name,
        attempt=attempt,
        network=gang.spec.network or NetworkSpec(),
        is_wanted=gang.spec.network is not None,
        hosts=hosts,
        host_list=",".join(hosts),
        roles=("",) * size,
        ranks={"": range(size)},
        workers=tuple(range(size)),
        slots=(_slots(dict((gang.spec.written or gang.spec.needs).request)),) * size,
    )


def host_of(gang: str, attempt: int, rank: int) -> str:
    """A member's name in DNS, as the pods of its namespace look it up: its pod below the gang's Service."""
    return f"{pod_name(gang, attempt, rank)}.{gang}"


def _slots(request: dict[str, int]) -> int:
    """How many processes a member has room for: the whole CPUs that its template requests, and one at least."""
    return max(1, request.get("cpu", 0) // _MILLI)
