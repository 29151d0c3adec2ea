"""A whole queue planned by trying every start and every distribution of members, straight from the definition."""

import math
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, pairwise, product
from typing import NamedTuple


class Taken(NamedTuple):
    node: int
    count: int
    request: tuple[int, ...]
    start: float
    finish: float


class Closed(NamedTuple):
    node: int
    start: float


class Found(NamedTuple):
    finish: float
    size: int
    start: float
    counts: tuple[int, ...]


class Held(NamedTuple):
    nodes: tuple[int, ...]
    start: float


def plan_queue(snapshot, passes):
    """Return (gang, Found, Held or None) in planning order; ``passes(gang, node)`` stands for the constraints."""
    taken = []
    results = []
    left = snapshot.most_holding
    for gang in sorted(snapshot.gangs, key=lambda gang: (-gang.priority, gang.counts_from, gang.created, gang.key)):
        own = as_fast_as_for(gang, snapshot)
        found = best_placement(own, gang, taken, passes)
        if found is None and left and gang.may_hold:
            found = best_hold(own, gang, taken, passes)
        results.append((gang, found))
        if isinstance(found, Held):
            left -= 1
            taken += [Closed(node, found.start) for node in found.nodes]
        elif found is not None:
            for node, count in enumerate(found.counts):
                if count:
                    taken.append(Taken(node, count, gang.roles[0].request, found.start, found.finish))
    return results


def as_fast_as_for(gang, snapshot):
    """Write what a gang's factors make of the slow-down of each node in its place."""
    times = {one.kind: one.times for one in gang.factors}
    own = [slow * times.get(int(kind), 1) for slow, kind in zip(snapshot.slowdown, snapshot.kinds, strict=True)]
    return replace(snapshot, slowdown=own)


def best_placement(snapshot, gang, taken, passes):
    """Return the best placement among all starts worth trying, all sizes and all distributions over nodes."""
    found = list(placements(snapshot, gang, taken, passes))
    if gang.work is None:
        # As early as possible, then as many as possible; but as few as are of use where pieces matter.
        wanted = partial(_use, snapshot, gang)
        return min(found, key=lambda one: (one.start, wanted(one), *_preference(snapshot, one)), default=None)
    if gang.deadline is not None:
        in_time = [one for one in found if one.finish <= gang.deadline]
        return min(
            in_time, key=lambda one: (one.size, one.finish, one.start, *_preference(snapshot, one)), default=None
        )
    return min(
        found, key=lambda one: (value(gang, one), one.size, one.start, *_preference(snapshot, one)), default=None
    )


def stay(snapshot, role, node):
    """Return how long a member may be on a node all of whose taints it tolerates, taint by taint."""
    ends = [math.inf]
    for taint in snapshot.nodes.taints[node]:
        tolerating = [one for one in role.constraints.tolerations if one.key == taint.key]
        if taint.effect == "NoExecute" and tolerating:
            ends.append(tolerating[0].seconds)
    return min(ends)


def value(gang, found):
    """Say what a run counts: when it would end if each member-second also cost its price."""
    return found.start + (found.finish - found.start) * (1 + gang.member_price * found.size)


def best_hold(snapshot, gang, taken, passes):
    """Return the best set among all sets of nodes that could hold the gang once everything has ended that ends."""
    sizes = [size for size in sizes_of(gang.roles[0]) if gang.work is None or time_of(gang.work, size) < math.inf]
    if not sizes or next(placements(snapshot, gang, taken, passes), None) is not None:
        return None
    nodes = [
        node
        for node in range(len(snapshot.nodes.names))
        if passes(gang, node) and stay(snapshot, gang.roles[0], node) == math.inf
    ]
    ends = {node: _in_the_end(snapshot, gang, taken, node) for node in nodes}
    ranks = sorted(range(len(snapshot.nodes.names)), key=lambda node: (snapshot.slowdown[node], node))
    for size in range(1, len(nodes) + 1):
        sets = [
            chosen
            for chosen in combinations(nodes, size)
            if all(ends[node][0] for node in chosen) and sum(ends[node][0] for node in chosen) >= sizes[0]
        ]
        if sets:
            best = min(
                sets, key=lambda chosen: sorted((ends[node][1], ends[node][2], ranks.index(node)) for node in chosen)
            )
            start = max(ends[node][2] for node in best)
            return Held(best, start) if _may_end_in_time(snapshot, gang, sizes, start) else None
    return None


def sizes_of(role):
    """List the sizes that a role may have."""
    sizes, most = role.sizes, role.pieces or role.sizes.maximum
    return [
        size
        for size in range(sizes.minimum, min(sizes.maximum, most) + 1)
        if size % sizes.multiple_of == 0 and (not sizes.allowed or size in sizes.allowed)
    ]


def _may_end_in_time(snapshot, gang, sizes, start):
    if gang.deadline is None or gang.work is None:
        return True
    return start + min(snapshot.slowdown) * min(time_of(gang.work, size) for size in sizes) <= gang.deadline


def _in_the_end(snapshot, gang, taken, node):
    """Return the places of a node once all has ended, how many wait for unknown ends, and when the others end."""
    own = [claim for claim in taken if claim.node == node]
    if snapshot.until[node] < math.inf or any(isinstance(claim, Closed) for claim in own):
        return 0, 0, math.inf
    times = [release.time for release in snapshot.releases if release.node == node]
    times += [claim.start if claim.finish == math.inf else claim.finish for claim in own]
    ready = max(snapshot.now, gang.not_before, float(snapshot.start[node]), *times)
    there = _fitting(gang, free_at(snapshot, taken, node, ready))
    amounts = free_at(snapshot, [claim for claim in taken if claim.node != node], node, ready)
    most = _fitting(gang, [one + int(more) for one, more in zip(amounts, snapshot.someday[node], strict=True)])
    return most, most - there, ready


def _use(snapshot, gang, found):
    if gang.roles[0].pieces is None:
        return (-found.size,)
    return (longest(snapshot, found.counts, gang.roles[0].pieces), found.size)


def _preference(snapshot, found):
    """Order equal placements: as many as possible on the fastest node, then on the next; equal nodes by index."""
    ranks = sorted(range(len(found.counts)), key=lambda node: (snapshot.slowdown[node], node))
    return [-found.counts[node] for node in ranks]


def placements(snapshot, gang, taken, passes):
    nodes = range(len(snapshot.nodes.names))
    for start in starts(snapshot, gang, taken):
        most = [_places(snapshot, gang, taken, node, start) if passes(gang, node) else 0 for node in nodes]
        for counts in product(*(range(count + 1) for count in most)):
            size = sum(counts)
            finish = _finish(snapshot, gang, counts, size, start)
            if finish is not None and all(
                lasts(snapshot, taken, Taken(node, count, gang.roles[0].request, start, finish))
                and start + stay(snapshot, gang.roles[0], node) >= finish
                for node, count in enumerate(counts)
                if count
            ):
                yield Found(finish, size, start, counts)


def _finish(snapshot, gang, counts, size, start):
    if size not in sizes_of(gang.roles[0]):
        return None
    if gang.work is None:
        return math.inf
    time = time_of(gang.work, size)
    return None if time == math.inf else start + _run_time(snapshot, gang, counts, size, time)


def time_of(work, size):
    """T(P) on idle nodes; inf where P has not been measured."""
    if hasattr(work, "times"):
        return work.times[size - 1] if size <= len(work.times) else math.inf
    return work.serial / size + work.fixed + work.per_member * size


def _run_time(snapshot, gang, counts, size, time):
    if gang.roles[0].load == "Proportional":
        return size * time / sum(count / float(snapshot.slowdown[node]) for node, count in enumerate(counts))
    if gang.roles[0].load == "Pieces":
        overhead = gang.work.fixed + gang.work.per_member * size
        return longest(snapshot, counts, gang.roles[0].pieces) * gang.work.serial / gang.roles[0].pieces + overhead
    return time * max(float(snapshot.slowdown[node]) for node, count in enumerate(counts) if count)


def longest(snapshot, counts, pieces):
    """Try every way to deal the pieces, one at least to each member; the least time of the one that takes longest."""
    members = tuple(float(snapshot.slowdown[node]) for node, count in enumerate(counts) for _ in range(count))
    return _least_longest(members, pieces)


@cache
def _least_longest(members, pieces):
    if len(members) == 1:
        return members[0] * pieces
    most = pieces - len(members) + 1
    return min(max(members[0] * own, _least_longest(members[1:], pieces - own)) for own in range(1, most + 1))


def starts(snapshot, gang, taken):
    """Every instant at which anything changes, and one between each two: more than should be needed."""
    events = {snapshot.now, *(release.time for release in snapshot.releases)}
    events |= {float(time) for time in snapshot.start} | {float(time) for time in snapshot.until}
    events |= {claim.start for claim in taken} | {claim.finish for claim in taken if isinstance(claim, Taken)}
    first = max(snapshot.now, gang.not_before)
    ahead = sorted(time for time in {first, *events} if first <= time < math.inf)
    return sorted({*ahead, *((early + late) / 2 for early, late in pairwise(ahead))})


def free_at(snapshot, taken, node, time):
    free = [int(amount) for amount in snapshot.free[node]]
    for release in snapshot.releases:
        if release.node == node and release.time <= time:
            free = [amount + back for amount, back in zip(free, release.request, strict=True)]
    for claim in taken:
        if isinstance(claim, Taken) and claim.node == node and claim.start <= time < claim.finish:
            free = [amount - claim.count * one for amount, one in zip(free, claim.request, strict=True)]
    return free


def _places(snapshot, gang, taken, node, start):
    if not snapshot.start[node] <= start < min(snapshot.until[node], _closing(taken, node)):
        return 0
    return _fitting(gang, free_at(snapshot, taken, node, start))


def _closing(taken, node):
    return min((claim.start for claim in taken if isinstance(claim, Closed) and claim.node == node), default=math.inf)


def _fitting(gang, free):
    fit = [amount // one for amount, one in zip(free, gang.roles[0].request, strict=True) if one]
    return max(0, min([*fit, gang.roles[0].sizes.maximum]))


def lasts(snapshot, taken, wanted):
    if wanted.finish > min(snapshot.until[wanted.node], _closing(taken, wanted.node)):
        return False
    changes = {wanted.start, *(release.time for release in snapshot.releases), *(claim.start for claim in taken)}
    return all(
        amount >= wanted.count * one
        for time in changes
        if wanted.start <= time < wanted.finish
        for amount, one in zip(free_at(snapshot, taken, wanted.node, time), wanted.request, strict=True)
        if one
    )
