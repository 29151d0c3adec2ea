"""The best group by looking at every group there is, straight from the definition in [A] 2."""

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
    deadline: Fraction | None = None
    fewest: bool = False
    price: Fraction = Fraction(0)


class Found(NamedTuple):
    value: Fraction
    finish: Fraction
    size: int
    start: Fraction
    members: tuple[int, ...]


def best_group(bids, want, run_time):
    """Return the best group by the stated order of ties, None when no group is allowed.

    ``run_time`` takes the slow-downs of all members, and gives None for a size that may not run.
    """
    groups = _groups(bids, want, run_time)
    if want.deadline is not None:
        groups = (group for group in groups if group.finish <= want.deadline)
    return min(groups, key=_fewest_order if want.fewest else None, default=None)


def equal_load(times):
    """Run for the slowest member's time; ``times[P - 1]`` is T(P), and larger sizes may not run."""

    def run_time(slowdowns):
        size = len(slowdowns)
        return max(slowdowns) * times[size - 1] if size <= len(times) else None

    return run_time


def _fewest_order(group):
    return (group.size, group.value, group.finish, group.start, group.members)


def _groups(bids, want, run_time):
    for counts in product(*(range(len(bid.slowdowns) + 1) for bid in bids)):
        size = sum(counts)
        if not want.minimum <= size <= want.maximum:
            continue
        used = [(bid, count) for bid, count in zip(bids, counts, strict=True) if count]
        run = run_time([bid.slowdowns[count - 1] for bid, count in used for _ in range(count)])
        if run is None:
            continue
        start = max(bid.start for bid, _ in used)
        if all(bid.until is None or start + run <= bid.until for bid, _ in used):
            members = tuple(node for node, count in enumerate(counts) for _ in range(count))
            yield Found(start + run + want.price * size * run, start + run, size, start, members)
