"""The part of the work of each member of a placed gang; it follows from the load and from the speed of its node."""

from typing import assert_never

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.pieces.fastest_nodes import divide_pieces
from coschedule.queue.problem.gangs import Load, Role
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.parts import Pieces, Share


def divide_work(role: Role, nodes: tuple[str, ...], counts: IntArray, slowdowns: FloatArray) -> tuple[Members, ...]:
    """Return a role's members with their parts: ``nodes[i]`` has ``counts[i]`` members and slow-down ``slowdowns[i]``.

    ``Placement`` describes their order.
    """
    if role.dealt_later:
        return _without_parts(role, nodes, counts)
    match role.load:
        case Load.PROPORTIONAL:
            return _by_speed(role, nodes, counts, slowdowns)
        case Load.PIECES:
            assert role.pieces is not None, "the role checks it"
            return _by_pieces(role, nodes, counts, divide_pieces(np.repeat(slowdowns, counts), role.pieces))
        case Load.EQUAL | Load.NONE:
            return _without_parts(role, nodes, counts)
        case _:
            assert_never(role.load)


def _without_parts(role: Role, nodes: tuple[str, ...], counts: IntArray) -> tuple[Members, ...]:
    return tuple(Members(node, count, None, role.name) for node, count in zip(nodes, counts.tolist(), strict=True))


def _by_speed(role: Role, nodes: tuple[str, ...], counts: IntArray, slowdowns: FloatArray) -> tuple[Members, ...]:
    """Divide the work in proportion to speed [A 4]: a member's share is its speed divided by the speed of all."""
    speeds = 1 / slowdowns
    shares = speeds / (speeds * counts).sum()
    return tuple(
        Members(node, count, Share(share), role.name)
        for node, count, share in zip(nodes, counts.tolist(), shares.tolist(), strict=True)
    )


def _by_pieces(role: Role, nodes: tuple[str, ...], counts: IntArray, given: IntArray) -> tuple[Members, ...]:
    """Group the members of each node by their number of pieces; member m has ``given[m]`` pieces, node by node."""
    members = []
    for node, of_node in zip(nodes, np.split(given, np.cumsum(counts)[:-1]), strict=True):
        numbers, times = np.unique(-of_node, return_counts=True)
        members += [
            Members(node, count, Pieces(-number), role.name)
            for number, count in zip(numbers.tolist(), times.tolist(), strict=True)
        ]
    return tuple(members)
