"""The best group under a proportional load by looking at every group there is, from the definition in [A 4]."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple


class Load(NamedTuple):
    """``times[P - 1]`` is T(P); per gang, ``serial`` is divided and ``overheads[P - 1]`` is not."""

    times: tuple[Fraction, ...]
    serial: Fraction
    overheads: tuple[Fraction, ...]
    per_gang: bool


class Found(NamedTuple):
    value: Fraction
    finish: Fraction
    size: int
    start: Fraction
    members: tuple[int, ...]
    shares: tuple[Fraction, ...]


def best_shared_group(bids, want, load):
    """Return the best group by the stated order of ties, None when no group is allowed."""
    groups = [group for group in _groups(bids, want, load) if want.deadline is None or group.finish <= want.deadline]
    return min(groups, key=_fewest_order if want.fewest else None, default=None)


def _fewest_order(group):
    return (group.size, group.value, group.finish, group.start, group.members)


def _groups(bids, want, load):
    for counts in product(*(range(len(bid.slowdowns) + 1) for bid in bids)):
        size = sum(counts)
        if not want.minimum <= size <= want.maximum or size > len(load.times):
            continue
        used = [(bid, count) for bid, count in zip(bids, counts, strict=True) if count]
        speeds = [1 / bid.slowdowns[count - 1] for bid, count in used for _ in range(count)]
        if load.per_gang:
            run = load.serial / sum(speeds) + load.overheads[size - 1]
        else:
            run = size * load.times[size - 1] / sum(speeds)
        start = max(bid.start for bid, _ in used)
        if all(bid.until is None or start + run <= bid.until for bid, _ in used):
            members = tuple(node for node, count in enumerate(counts) for _ in range(count))
            shares = tuple(speed / sum(speeds) for speed in speeds)
            yield Found(start + run + want.price * size * run, start + run, size, start, members, shares)
