"""The members of a reservation that are not bound yet, and how many of them fit on a node."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State


class Left(NamedTuple):
    """The members on one node that have not ended, by role, and the roles with unbound members."""

    counts: Counter[str]
    unbound: set[str]


def members_left(state: State, reservation: Reservation) -> dict[str, Left]:
    """The members that are left on each node that still waits for a member."""
    left: dict[str, Left] = {}
    for _, role, node, key in reservation.by_rank():
        of_node = left.setdefault(node, Left(Counter(), set()))
        pod = state.pods.get(key)
        if pod is None or not pod.has_ended:
            of_node.counts[role] += 1
        if pod is None or not pod.node:
            of_node.unbound.add(role)
    return {node: members for node, members in left.items() if members.unbound}


def how_many_fit(free: int, members: Iterable[tuple[int, int]]) -> int:
    """How many members fit into ``free``; ``members`` are pairs of a number and the amount for each."""
    fitting = 0
    for count, amount in members:
        taken = min(count, max(0, free) // amount) if amount else count
        fitting += taken
        free -= taken * amount
    return fitting
