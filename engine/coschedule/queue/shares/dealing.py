"""The order among groups: the next gang is from the group with the least use divided by weight.

The use of a group is its earlier use plus the charges of this plan. Gangs of one group keep the order in which they are
given. So with one group, all gangs keep their order. If groups have equal use, the group whose next gang was given
first has the next turn. Gangs whose age counts from -inf come before all turns: other pods of these gangs already hold
nodes.
"""

import math
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Generic, TypeVar

from coschedule.queue.problem.decisions import Decision
from coschedule.queue.problem.fair_shares import FairShares
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.order import in_order
from coschedule.queue.problem.snapshot import Snapshot

T = TypeVar("T")


class TurnsByUse(Generic[T]):
    """Deals items one by one, in the turns of their groups: O(log groups) for each item.

    The group of an item is charged before the next item is dealt. Items are (group, since, item): the age of an item
    counts from ``since``. Within a group, items with a ``since`` of -inf must be given first.
    """

    def __init__(self, used: Sequence[float], weights: Sequence[float], items: Iterable[tuple[int, float, T]]) -> None:
        self._used, self._weights = list(used), weights
        self._left: dict[int, deque[tuple[int, float, T]]] = {}
        for number, (group, since, item) in enumerate(items):
            self._left.setdefault(group, deque()).append((number, since, item))
        # Only the group whose item was dealt last is charged, so the levels of all others stay as they are.
        self._levels = [self._level(group) for group in self._left]
        heapify(self._levels)
        self._last: int | None = None

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        if self._last is not None and self._left[self._last]:
            heappush(self._levels, self._level(self._last))
        self._last = None
        if not self._levels:
            raise StopIteration
        *_, self._last = heappop(self._levels)
        return self._left[self._last].popleft()[2]

    def charge(self, seconds: float) -> None:
        """Charge the group of the item that was dealt last."""
        assert self._last is not None, "an item is charged once it was dealt"
        self._used[self._last] += seconds

    def _level(self, group: int) -> tuple[float, int, int]:
        number, since, _ = self._left[group][0]
        return -math.inf if since == -math.inf else self._used[group] / self._weights[group], number, group


class GroupTurns(TurnsByUse[PendingGang]):
    """Deals gangs of one priority, in the turns of their groups; ``ages`` has the time from which each age counts."""

    def __init__(self, charged: "Charged", ages: Iterable[tuple[float, PendingGang]]) -> None:
        shares = charged.shares
        used = [group.used + more for group, more in zip(shares.groups, charged.charges, strict=True)]
        weights = [group.weight for group in shares.groups]
        super().__init__(used, weights, ((shares.group_of(one.key), since, one) for since, one in ages))
        self._shares = shares

    def charge_for(self, gang: PendingGang, decision: Decision) -> None:
        """Charge the group of the gang that was dealt last; the charge is for the decision on this gang."""
        self.charge(self._shares.charge(gang, decision))


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged:
    """The charges of a plan to each group so far; the object is replaced, never changed."""

    shares: FairShares
    charges: tuple[float, ...]

    @classmethod
    def nothing(cls, shares: FairShares) -> "Charged":
        """Return the charges at the start of a plan: none."""
        return cls(shares=shares, charges=(0.0,) * len(shares.groups))

    def after(self, decided: Iterable[tuple[PendingGang, Decision]]) -> "Charged":
        """Return these charges plus the charges for these decisions."""
        more: list[list[float]] = [[charge] for charge in self.charges]
        for gang, decision in decided:
            more[self.shares.group_of(gang.key)].append(self.shares.charge(gang, decision))
        # math.fsum is exact, so that the order of the decisions does not matter.
        return replace(self, charges=tuple(math.fsum(charges) for charges in more))

    def after_expected(self, gangs: Iterable[PendingGang]) -> "Charged":
        """Return these charges plus the expected charges for these gangs, with their fewest members."""
        charges = list(self.charges)
        for gang in gangs:
            charges[self.shares.group_of(gang.key)] += self.shares.expected_charge(gang)
        return replace(self, charges=tuple(charges))

    def turns(self, gangs: Iterable[PendingGang]) -> GroupTurns:
        """Return the turns of gangs of one priority."""
        return GroupTurns(self, ((one.counts_from, one) for one in gangs))

    def turns_after_promises(self, gangs: Iterable[PendingGang]) -> GroupTurns:
        """Return the turns of gangs of one priority; gangs with a promise come before all turns."""
        ages = ((one.counts_from if math.isinf(one.promised) else -math.inf, one) for one in gangs)
        return GroupTurns(self, sorted(ages, key=lambda age: age[0] > -math.inf))

    def expected_order(self, gangs: Iterable[PendingGang]) -> Iterator[PendingGang]:
        """List gangs of one priority in the turns of their groups, by their expected charges."""
        turns = self.turns(gangs)
        for gang in turns:
            yield gang
            turns.charge(self.shares.expected_charge(gang))

    @property
    def is_of_one(self) -> bool:
        """Whether there is one group, so that turns keep the order of the gangs."""
        return len(self.shares.groups) == 1

    def is_contested(self, gangs: Iterable[PendingGang]) -> bool:
        """Whether these gangs are of several groups."""
        return len({self.shares.group_of(gang.key) for gang in gangs}) > 1


def planning_order(snapshot: Snapshot) -> list[PendingGang]:
    """List all gangs by priority, and within one priority in the turns of their groups, by their expected charges."""
    ordered, charged = in_order(snapshot.gangs), Charged.nothing(snapshot.shares)
    if not charged.is_contested(ordered):
        return ordered
    dealt: list[PendingGang] = []
    for _, gangs in groupby(ordered, key=lambda gang: gang.priority):
        of_priority = list(charged.expected_order(gangs))
        charged = charged.after_expected(of_priority)
        dealt += of_priority
    return dealt
