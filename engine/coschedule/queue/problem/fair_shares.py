"""Groups of namespaces that share the nodes by weight, and what a group is charged for the run of a gang."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang

_UNKNOWN_SECONDS = 3600.0
"""While the end of a run is unknown, its group is charged for this many seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroup:
    """Namespaces that have one share of the nodes, in proportion to ``weight``.

    ``used`` is their recent use, in seconds of all nodes. ``held[r]`` is the amount of resource r of the snapshot that
    their gangs hold now, without gangs that are leaving; () if they hold nothing. Raises ValueError for invalid
    numbers.
    """

    name: str
    weight: float = 1.0
    used: float = 0.0
    namespaces: tuple[str, ...] = ()
    held: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.weight < math.inf:
            raise ValueError("the weight of a group must be positive and finite")
        if not 0 <= self.used < math.inf:
            raise ValueError("what a group has used must be at least 0 and finite")

    @property
    def level(self) -> float:
        """The use divided by the weight. The group with the lowest level has the next turn."""
        return self.used / self.weight


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShares:
    """The groups of namespaces, and the unit in which their use is measured.

    Namespaces that are in no group belong to the last group. ``capacity[r]`` is the amount of resource r of the
    snapshot on all nodes, 0 if the resource does not count. The dominant share of a run is the largest part of a
    resource that it takes, at most 1. Its group is charged this share times the seconds of the run. With ``reclaims``,
    running gangs may be evicted for a group that holds less than its share (``queue/shares/taking_back.py``). Raises
    ValueError if there is no group, if two groups have the same namespace, or if a non-empty ``held`` has another
    length than ``capacity``.
    """

    groups: tuple[ShareGroup, ...] = (ShareGroup(name=""),)
    capacity: tuple[int, ...] = ()
    reclaims: bool = False
    _group_of: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        group_of = {name: index for index, group in enumerate(self.groups) for name in group.namespaces}
        if not self.groups or len(group_of) < sum(len(group.namespaces) for group in self.groups):
            raise ValueError("there must be groups, and no namespace in two of them")
        if any(len(group.held) not in (0, len(self.capacity)) for group in self.groups):
            raise ValueError("what a group holds must have one amount for each resource")
        object.__setattr__(self, "_group_of", group_of)

    def group_of(self, gang: GangKey) -> int:
        """Return the index of a gang's group."""
        return self._group_of.get(gang.namespace, len(self.groups) - 1)

    def charge(self, gang: PendingGang, decision: Decision) -> float:
        """Return the charge for a decision, in seconds of all nodes; a gang without a placement costs nothing."""
        if not self.capacity or not isinstance(decision, Placement):
            return 0.0
        return self.part(self.taken(gang, decision)) * charged_seconds(decision.finish - decision.start)

    def taken(self, gang: PendingGang, placement: Placement) -> tuple[int, ...]:
        """Return how much of each resource a placement takes."""
        by_role: dict[str, int] = {}
        for one in placement.members:
            by_role[one.role] = by_role.get(one.role, 0) + one.count
        return self._amounts(gang, (by_role.get(role.name, 0) for role in gang.roles))

    def part(self, amounts: Sequence[int]) -> float:
        """Return the dominant share of ``amounts``: the largest part of a resource, at most 1; 0 for ()."""
        parts = (amount / most for amount, most in zip(amounts, self.capacity, strict=True) if most) if amounts else ()
        return min(1.0, max(parts, default=0.0))

    def share_of(self, group: int) -> float:
        """Return the share of a group, as a part of all nodes: its weight divided by the sum of all weights."""
        return self.groups[group].weight / math.fsum(one.weight for one in self.groups)

    def expected_charge(self, gang: PendingGang) -> float:
        """Return the charge, in seconds of all nodes, for a gang with its fewest members on idle reference nodes."""
        seconds = math.inf
        if gang.work is not None:
            seconds = gang.work.float_time(sum(role.sizes.least for role in gang.roles if role.load.is_work))
        return self.part(self._amounts(gang, (role.sizes.least for role in gang.roles))) * charged_seconds(seconds)

    def _amounts(self, gang: PendingGang, counts: Iterable[int]) -> tuple[int, ...]:
        roles = list(zip(gang.roles, counts, strict=True))
        return tuple(sum(role.request[r] * count for role, count in roles) for r in range(len(self.capacity)))


def charged_seconds(seconds: float) -> float:
    """Return the seconds that are charged for a run of ``seconds``: an hour if they are inf, as its end is unknown."""
    return seconds if seconds < math.inf else _UNKNOWN_SECONDS
