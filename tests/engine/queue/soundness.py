"""What every plan must keep, checked instant by instant from the snapshot alone."""

import math

from coschedule.queue.problem.decisions import Placement


def assert_sound(snapshot, plan):
    """Check sizes, windows, constraints by selector and, at every instant, that no node gives more than it has."""
    gangs = {gang.key: gang for gang in snapshot.gangs}
    placements = [decision for decision in plan.decisions if isinstance(decision, Placement)]
    for placement in placements:
        assert_in_range(snapshot, placement, gangs[placement.gang])
    assert_never_too_much(snapshot, placements, gangs)


def assert_in_range(snapshot, placement, gang):
    names = [one.node for one in placement.members]
    order = [role.name for role in gang.roles]
    assert list(placement.members) == sorted(placement.members, key=lambda one: (order.index(one.role), one.node))
    assert all(one.count >= 1 for one in placement.members)
    assert placement.size == sum(one.count for one in placement.members)
    for role in gang.roles:
        assert role.sizes.has(sum(one.count for one in placement.members if one.role == role.name))
    earliest = max(snapshot.now, gang.not_before)
    assert earliest <= placement.start < placement.finish
    assert placement.slowest in names
    assert placement.start > (snapshot.now if placement.latest else -math.inf)
    assert placement.latest or placement.start == earliest
    assert placement.latest is None or placement.latest in names
    for name in names:
        index = snapshot.nodes.names.index(name)
        assert snapshot.nodes.ready[index]
        assert snapshot.start[index] <= placement.start
        assert placement.finish <= snapshot.until[index]


def assert_never_too_much(snapshot, placements, gangs):
    instants = {placement.start for placement in placements} | {
        max(release.time, math.nextafter(snapshot.now, math.inf)) for release in snapshot.releases
    }
    for instant in instants:
        for index, name in enumerate(snapshot.nodes.names):
            used = [0] * len(snapshot.resources)
            for placement in placements:
                if placement.start <= instant < placement.finish:
                    used = [sum_ + more for sum_, more in zip(used, taken(gangs, placement, name), strict=True)]
            free = free_at(snapshot, index, instant)
            assert all(amount <= there for amount, there in zip(used, free, strict=True) if amount), (name, instant)


def taken(gangs, placement, name):
    """Sum up what the members of a gang take of one node."""
    requests = {role.name: role.request for role in gangs[placement.gang].roles}
    amounts = [[one.count * amount for amount in requests[one.role]] for one in placement.members if one.node == name]
    return [sum(column) for column in zip(*amounts, strict=True)] or [0] * len(next(iter(requests.values())))


def free_at(snapshot, index, instant):
    """Count what is free of claims; a release that is due or overdue has not happened now."""
    free = [int(amount) for amount in snapshot.free[index]]
    for release in snapshot.releases:
        if release.node == index and release.time <= instant and instant > snapshot.now:
            free = [amount + back for amount, back in zip(free, release.request, strict=True)]
    return free
