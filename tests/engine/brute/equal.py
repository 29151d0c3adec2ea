"""The best group by looking at every group there is, straight from the definition in [A 2]."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple


class Bid(NamedTuple):
    """A node: its start, the slow-down of every member when 1, 2, ... run there, and when it is taken back."""

    start: Fraction
    slowdowns: tuple[Fraction, ...]
    until: Fraction | None


class Want(NamedTuple):
    minimum: int
    maximum: int
    times: tuple[Fraction, ...]
    deadline: Fraction | None
    fewest: bool
    price: Fraction


class Found(NamedTuple):
    value: Fraction
    finish: Fraction
    size: int
    start: Fraction
    members: tuple[int, ...]


def best_group(bids, want):
    """Return the best group by the stated order of ties, None when no group is allowed."""
    groups = [group for group in _groups(bids, want) if want.deadline is None or group.finish <= want.deadline]
    return min(groups, key=_fewest_order if want.fewest else None, default=None)


def _fewest_order(group):
    return (group.size, group.value, group.finish, group.start, group.members)


def _groups(bids, want):
    for counts in product(*(range(len(bid.slowdowns) + 1) for bid in bids)):
        size = sum(counts)
        if not want.minimum <= size <= want.maximum or size > len(want.times):
            continue
        used = [(bid, count) for bid, count in zip(bids, counts, strict=True) if count]
        start = max(bid.start for bid, _ in used)
        run = max(bid.slowdowns[count - 1] for bid, count in used) * want.times[size - 1]
        if all(bid.until is None or start + run <= bid.until for bid, _ in used):
            members = tuple(node for node, count in enumerate(counts) for _ in range(count))
            yield Found(start + run + want.price * size * run, start + run, size, start, members)
