"""One gang of several roles placed by trying every start and every way to put every member on nodes."""

import math
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.terms import TermKind
from engine.brute.queue import Taken, lasts, longest, sizes_of, starts, stay, time_of, value


class Seated(NamedTuple):
    finish: float
    size: int
    start: float
    nodes: tuple[tuple[int, ...], ...]
    """The node of each member, by role."""


def best_seating(snapshot, gang, taken, passes):
    """Return the best of all ways, or None; ``passes(role, node)`` stands for the constraints."""
    found = list(seatings(snapshot, gang, taken, passes))
    if gang.work is None:
        return min(found, key=lambda one: (one.start, *_use(snapshot, gang, one)), default=None)
    if gang.deadline is not None:
        in_time = [one for one in found if one.finish <= gang.deadline]
        return min(in_time, key=lambda one: (one.size, one.finish, one.start), default=None)
    return min(found, key=lambda one: (value(gang, one), one.size, one.start), default=None)


def _use(snapshot, gang, found):
    working = [(role, nodes) for role, nodes in zip(gang.roles, found.nodes, strict=True) if role.load is Load.PIECES]
    return (last_pool(snapshot, working), found.size) if working else (-found.size,)


def last_pool(snapshot, working):
    """Return when the last role has done its pieces, in pieces of weight 1 on a reference node."""
    return max(longest(snapshot, _counts(snapshot, nodes), role.pieces) * role.piece_weight for role, nodes in working)


def seatings(snapshot, gang, taken, passes):
    """List every way to run the gang."""
    ways = list(_ways(snapshot, gang, passes))
    for start in starts(snapshot, gang, taken):
        for nodes in ways:
            finish = _finish(snapshot, gang, nodes, start)
            if finish is not None and stays(snapshot, gang, taken, nodes, start, finish):
                yield Seated(finish, sum(len(one) for one in nodes), start, nodes)


def stays(snapshot, gang, taken, nodes, start, finish):
    """Whether all members have room where they are from start to finish, and no taint evicts them before."""
    may_stay = all(
        start + stay(snapshot, role, node) >= finish
        for role, one in zip(gang.roles, nodes, strict=True)
        for node in one
    )
    return may_stay and all(
        snapshot.start[node] <= start < snapshot.until[node]
        and lasts(snapshot, taken, Taken(node, 1, _together(gang, nodes, node), start, finish))
        for node in {node for one in nodes for node in one}
    )


def _together(gang, nodes, node):
    total = [0] * len(gang.roles[0].request)
    for role, one in zip(gang.roles, nodes, strict=True):
        total = [amount + one.count(node) * more for amount, more in zip(total, role.request, strict=True)]
    return tuple(total)


def _ways(snapshot, gang, passes):
    """List all assignments that constraints and terms allow."""
    by_role = []
    for role in gang.roles:
        nodes = [node for node in range(len(snapshot.nodes.names)) if passes(role, node)]
        by_role.append([way for size in sizes_of(role) for way in combinations_with_replacement(nodes, size)])
    return (nodes for nodes in product(*by_role) if obeys(snapshot, gang, nodes))


def obeys(snapshot, gang, nodes):
    """Whether members on these nodes obey all terms."""
    members = [(role.name, node) for role, one in zip(gang.roles, nodes, strict=True) for node in one]
    return all(obeys_term(snapshot, term, members) for term in gang.terms)


def obeys_term(snapshot, term, members):
    placed = [
        (number, name, snapshot.nodes.labels[node].get(term.topology_key))
        for number, (name, node) in enumerate(members)
    ]
    these = [one for one in placed if one[1] in term.roles]
    those = [one for one in placed if one[1] in term.towards]
    if term.kind is TermKind.APART:
        return not any(
            here is not None and here == there and number != other
            for number, _, here in these
            for other, _, there in those
        )
    if any(domain is None for _, _, domain in these):
        return False
    if term.roles == term.towards:
        return len({domain for _, _, domain in these}) <= 1
    return all(domain in {there for _, _, there in those} for _, _, domain in these)


def _finish(snapshot, gang, nodes, start):
    if gang.work is None:
        return math.inf
    working = [(role, one) for role, one in zip(gang.roles, nodes, strict=True) if role.load is not Load.NONE]
    time = time_of(gang.work, sum(len(one) for _, one in working))
    return None if time == math.inf else start + _run_time(snapshot, gang, working, time)


def _run_time(snapshot, gang, working, time):
    role, nodes = working[0]
    slowdowns = [float(snapshot.slowdown[node]) for _, one in working for node in one]
    if role.load is Load.PROPORTIONAL:
        return len(nodes) * time / sum(1 / slowdown for slowdown in slowdowns)
    if role.load is Load.PIECES:
        overhead = gang.work.fixed + gang.work.per_member * len(slowdowns)
        of_one = gang.work.serial / sum(role.pieces * role.piece_weight for role, _ in working)
        return last_pool(snapshot, working) * of_one + overhead
    return time * max(slowdowns)


def _counts(snapshot, nodes):
    return tuple(nodes.count(node) for node in range(len(snapshot.nodes.names)))
