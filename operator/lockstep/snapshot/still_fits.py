"""Checks whether members would still be placed as in a reservation, since facts may have changed after the plan."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from coschedule import Constraints
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.columns import VOLUMES_PREFIX
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.affinity.broken_terms import term_that_breaks
from lockstep.snapshot.constraints import constraints_of, taken_in_front
from lockstep.snapshot.holders.counted_twice import counted_twice
from lockstep.snapshot.holders.endings import expected_finish
from lockstep.snapshot.holders.members_left import Left, how_many_fit, members_left
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.placement_conflicts import (
    ChecksFail,
    NodesGone,
    NodesNotInPool,
    PlacementConflict,
    StaysTooShort,
    TooLittleRoom,
    closed,
    evicting,
    failed_check,
)
from lockstep.snapshot.volumes.volume_demand import demand_of
from lockstep.snapshot.wanted import attached_by


def conflict_of(
    state: State,
    nodes: NodeArrays,
    gang: AcceptedGang,
    reservation: Reservation,
    now: float,
    replaced: Reservation | None = None,
) -> PlacementConflict | None:
    """Why the gang's members would not be placed as in this reservation if they were planned now; None if they would.

    The amounts of the reservation, and of ``replaced``, which it replaces, count as free.
    Other gangs that change their size take the larger of their present and their next amounts. Only nodes with unbound
    members are checked: running members stay where they are.
    """
    left = members_left(state, reservation)
    unknown = tuple(node for node in left if node not in nodes.index)
    if unknown:
        gone = tuple(node for node in unknown if node not in state.nodes)
        return NodesGone(nodes=gone) if gone else NodesNotInPool(nodes=unknown)
    around, end = Surroundings(state, gang), expected_finish(reservation, now)
    return (
        _failed_check(nodes, _unbound(state, left, gang, around), now, end)
        or term_that_breaks(state, around.terms(), reservation)
        or closed(nodes, sorted(left), now, end)
        or _short(state, nodes, left, (reservation, replaced), state.priorities.of(gang))
        or _short_of_volumes(state, left, gang)
    )


def _unbound(
    state: State, left: Mapping[str, Left], gang: AcceptedGang, around: Surroundings
) -> Iterator[tuple[list[str], Constraints]]:
    """By role, the nodes with members still to be bound, and the constraints of these members."""
    for role in gang.spec.roles if gang.spec else ():
        names = sorted(node for node, members in left.items() if role.name in members.unbound)
        if names:
            yield names, constraints_of(state, gang, role, around)


def _failed_check(
    nodes: NodeArrays, unbound: Iterable[tuple[list[str], Constraints]], now: float, end: float | None
) -> ChecksFail | StaysTooShort | None:
    """The nodes that fail constraints of members, or where a taint evicts members before the end."""
    for names, constraints in unbound:
        failed = failed_check(nodes, names, constraints) or evicting(nodes, names, constraints, now, end)
        if failed is not None:
            return failed
    return None


def _short(
    state: State,
    nodes: NodeArrays,
    left: Mapping[str, Left],
    ours: tuple[Reservation, Reservation | None],
    priority: int | None,
) -> TooLittleRoom | None:
    """The first node without room for the reservation, which is the first of ``ours``; None if all have room.

    The second of ``ours`` is the reservation that it replaces.
    """
    reservation, replaced = ours
    wanted = tuple(sorted({name for one in reservation.requests.values() for name, amount in one if amount}))
    amounts = {role: dict(request) for role, request in reservation.requests.items()}
    rows = np.array([nodes.index[node] for node in left], dtype=np.intp)
    committed = state.ledger.committed(nodes.rows[rows], state.ledger.columns(wanted))
    allocatable = {resource: nodes.allocatable(resource)[rows] for resource in wanted}
    own = _charges(state, reservation)
    own.update({} if replaced is None else _charges(state, replaced))
    in_front = taken_in_front(state, priority)
    for number, (node, members) in enumerate(left.items()):
        twice = counted_twice(state, node, beside=reservation.gang)
        for column, resource in enumerate(wanted):
            taken = int(committed[number, column]) + in_front[node, resource] - twice.get(resource, 0)
            free = int(allocatable[resource][number]) - taken + own[node, resource]
            each = [(count, amounts[role].get(resource, 0)) for role, count in members.counts.items()]
            if free < sum(count * amount for count, amount in each):
                total = members.counts.total()
                return TooLittleRoom(node=node, fit=how_many_fit(free, each), wanted=total, resource=resource)
    return None


def _charges(state: State, reservation: Reservation) -> Counter[tuple[str, str]]:
    """The amounts that the reservation's members take, by node and resource."""
    own: Counter[tuple[str, str]] = Counter()
    for (node, request), count in state.ledger.charged(
        reservation.gang, reservation.gang_uid, reservation.attempt
    ).items():
        for resource, amount in request:
            own[node, resource] += count * amount
    return own


def _short_of_volumes(state: State, left: Mapping[str, Left], gang: GangFact) -> TooLittleRoom | None:
    """The first node with too few volumes, or that can't attach them; None if there is none.

    An attempt that is under way checks its claims itself.
    """
    if not isinstance(gang, AcceptedGang) or gang.key in state.reservations:
        return None
    for resource, node, room, each in _volumes_asked(state, left, gang):
        members = left[node].counts
        asked = [(count, each.get(role, 0)) for role, count in members.items()]
        if room < sum(count * amount for count, amount in asked):
            return TooLittleRoom(node=node, fit=how_many_fit(room, asked), wanted=members.total(), resource=resource)
    return None


def _volumes_asked(
    state: State, left: Mapping[str, Left], gang: AcceptedGang
) -> Iterator[tuple[str, str, int, Mapping[str, int]]]:
    """The nodes where volumes limit members: the resource, the node, its room, and the amount for a member by role."""
    demands = {role.name: demand_of(state, gang, role) for role in gang.spec.roles if role.claims}
    for role, demand in demands.items():
        yield from (
            (f"{VOLUMES_PREFIX}its claims", node, demand.most[node], {role: 1}) for node in left if node in demand.most
        )
    for driver in dict.fromkeys(driver for demand in demands.values() for driver in demand.attached):
        each, room = (
            {role: demand.attached.get(driver, 0) for role, demand in demands.items()},
            state.attachments.room(driver),
        )
        yield from ((attached_by(driver), node, room[node], each) for node in left if node in room)
