"""Groups of namespaces that share the nodes by weight, and what a run of a gang costs its group."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from coschedule.queue.problem.decisions import Decision, Placement
from coschedule.queue.problem.gangs import GangKey, PendingGang

_UNKNOWN_SECONDS = 3600.0
"""For how long a run of unknown end is charged before it has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareGroup:
    """Namespaces that have one share of the nodes, in proportion to ``weight``.

    ``used`` is what they have used lately, in seconds of all nodes. Raises ValueError for invalid numbers.
    """

    name: str
    weight: float = 1.0
    used: float = 0.0
    namespaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.weight < math.inf:
            raise ValueError("the weight of a group must be positive and finite")
        if not 0 <= self.used < math.inf:
            raise ValueError("what a group has used must be at least 0 and finite")


@dataclass(frozen=True, slots=True, kw_only=True)
class FairShares:
    """The groups, and by what their use is measured; namespaces that no group has are those of the last group.

    ``capacity[r]`` is how much of resource r of the snapshot all nodes have, 0 where the resource does not count. A run
    is charged its dominant share times its seconds: the largest of its parts of a resource, and 1 at most. Raises
    ValueError where there is no group, or two groups have one namespace.
    """

    groups: tuple[ShareGroup, ...] = (ShareGroup(name=""),)
    capacity: tuple[int, ...] = ()
    _group_of: dict[str, int] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        group_of = {name: index for index, group in enumerate(self.groups) for name in group.namespaces}
        if not self.groups or len(group_of) < sum(len(group.namespaces) for group in self.groups):
            raise ValueError("there must be groups, and no namespace in two of them")
        object.__setattr__(self, "_group_of", group_of)

    def group_of(self, gang: GangKey) -> int:
        """Return the index of a gang's group."""
        return self._group_of.get(gang.namespace, len(self.groups) - 1)

    def charge(self, gang: PendingGang, decision: Decision) -> float:
        """Return what a decision costs, in seconds of all nodes; a gang without a placement costs nothing."""
        if not self.capacity or not isinstance(decision, Placement):
            return 0.0
        by_role: dict[str, int] = {}
        for one in decision.members:
            by_role[one.role] = by_role.get(one.role, 0) + one.count
        counts = (by_role.get(role.name, 0) for role in gang.roles)
        return self._dominant(gang, counts) * charged_seconds(decision.finish - decision.start)

    def expected_charge(self, gang: PendingGang) -> float:
        """Return what a gang costs with its fewest members on idle reference nodes."""
        seconds = math.inf
        if gang.work is not None:
            seconds = gang.work.float_time(sum(role.sizes.least for role in gang.roles if role.load.is_work))
        return self._dominant(gang, (role.sizes.least for role in gang.roles)) * charged_seconds(seconds)

    def _dominant(self, gang: PendingGang, counts: Iterable[int]) -> float:
        roles = list(zip(gang.roles, counts, strict=True))
        taken = (sum(role.request[r] * count for role, count in roles) for r in range(len(self.capacity)))
        parts = (amount / most for amount, most in zip(taken, self.capacity, strict=True) if most)
        return min(1.0, max(parts, default=0.0))


def charged_seconds(seconds: float) -> float:
    """Return for how long a run is charged that takes so many seconds: an hour if its end is unknown, inf."""
    return seconds if seconds < math.inf else _UNKNOWN_SECONDS
