"""The resources that a group takes back from other groups: from which running gangs, and how much at most.

The share of a group is a part of all nodes: its weight divided by the sum of all weights. Only a group that holds less
than its share takes. It takes from groups that hold more than their shares and have a greater use divided by weight.
These groups keep at least their shares. So resources that a group takes up to its share are never taken from it.

The group of a gang that had to leave has a greater use divided by weight than the group that took its place. So this
gang waits behind the gang in its place. Hence, while no gang ends, the number of times that gangs take back is at most
the number of waiting gangs. Two groups never take the same nodes back from each other again and again.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from operator import add, sub
from typing import NamedTuple

from coschedule.queue.problem.fair_shares import FairShares
from coschedule.queue.problem.gangs import GangKey

Amounts = tuple[int, ...]


class TakenBack(NamedTuple):
    """A running gang gives up ``amounts`` of each resource, all that it holds or a part of it."""

    gang: GangKey
    amounts: Amounts


class Spare(NamedTuple):
    """A group holds ``amount`` more than its share of its dominant resource, which has the index ``column``."""

    column: int
    amount: int


class ShareClaim(NamedTuple):
    """The claim of a group that holds less than its share: the ``spare`` amount of each group, None without one."""

    shares: FairShares
    spare: tuple[Spare | None, ...]

    def is_on(self, gang: GangKey) -> bool:
        """Whether the claim covers a running gang, since its group has an amount to spare."""
        return self.spare[self.shares.group_of(gang)] is not None

    @property
    def limits(self) -> Amounts:
        """The amount that each group may give."""
        return tuple(0 if one is None else one.amount for one in self.spare)

    def counted(self, taken: TakenBack) -> Iterator[tuple[int, int]]:
        """List the group and the amount that counts against its limit; nothing for a group without a limit."""
        group = self.shares.group_of(taken.gang)
        spare = self.spare[group]
        if spare is not None:
            yield group, taken.amounts[spare.column]

    def allows(self, some: Iterable[TakenBack]) -> bool:
        """Whether all of these amounts may be taken together: each group must have enough to spare."""
        left = list(self.limits)
        for one in some:
            if not self.is_on(one.gang):
                return False
            for group, amount in self.counted(one):
                left[group] -= amount
        return min(left, default=0) >= 0


def claim_of(
    shares: FairShares, gang: GangKey, coming: Sequence[TakenBack] = (), *, charged: float = 0.0
) -> ShareClaim | None:
    """Return the claim of the group of a waiting gang; None if the group may take nothing.

    ``coming`` has the amounts of gangs that start before this gang; amounts of its own group count as held. The plan
    has ``charged`` the group for gangs in front of this one.
    """
    if len(shares.groups) == 1 or not shares.capacity:
        return None
    group = shares.group_of(gang)
    held = [one.held or (0,) * len(shares.capacity) for one in shares.groups]
    with_coming = held[group]
    for one in coming:
        if shares.group_of(one.gang) == group:
            with_coming = tuple(map(add, with_coming, one.amounts))
    if shares.part(with_coming) >= shares.share_of(group):
        return None
    level = (shares.groups[group].used + charged) / shares.groups[group].weight
    spare = tuple(
        _spare(shares, number, held[number]) if one.level > level else None for number, one in enumerate(shares.groups)
    )
    return ShareClaim(shares, spare) if any(spare) else None


def without_taken(shares: FairShares, some: Iterable[TakenBack]) -> FairShares:
    """Return the groups after ``some`` amounts have been given up."""
    held = [one.held for one in shares.groups]
    for one in some:
        group = shares.group_of(one.gang)
        if held[group]:
            held[group] = tuple(map(sub, held[group], one.amounts))
    groups = (replace(one, held=left) for one, left in zip(shares.groups, held, strict=True))
    return replace(shares, groups=tuple(groups))


def _spare(shares: FairShares, group: int, held: Amounts) -> Spare | None:
    """Return the amount that a group holds beyond its share of its dominant resource, rounded down, or None."""
    parts = [amount / most if most else 0.0 for amount, most in zip(held, shares.capacity, strict=True)]
    column = max(range(len(parts)), key=parts.__getitem__)
    spare = held[column] - math.ceil(shares.share_of(group) * shares.capacity[column])
    return Spare(column, spare) if spare > 0 else None
