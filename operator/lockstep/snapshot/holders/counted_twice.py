"""Amounts that the ledger counts twice: members of a gang's present size and of its next size never run together.

The next attempt of a gang begins when its members are gone. So on each node, the gang takes the larger of two amounts:
that of its members now, and that of its next size. The ledger has the sum of both.
"""

from collections import Counter
from collections.abc import Mapping

from coschedule import GangKey
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State


def counted_twice(state: State, node: str, *, beside: GangKey) -> Mapping[str, int]:
    """The amounts counted twice on that node, by resource, for all gangs that change their size except ``beside``."""
    twice: Counter[str] = Counter()
    for gang in state.counts.next_sizes.on(node):
        if gang != beside:
            twice.update(counted_twice_of(state, gang, node))
    return twice


def counted_twice_of(state: State, gang: GangKey, node: str) -> Mapping[str, int]:
    """The amounts counted twice on that node, by resource, for one gang; empty if its size does not change."""
    held, following = state.reservations.get(gang), state.counts.next_sizes.of(gang)
    if held is None or following is None:
        return {}
    return _taken(state, held, node) & _taken(state, following, node)


def all_counted_twice(state: State) -> Mapping[str, Mapping[str, int]]:
    """The amounts counted twice, by node and resource, for all gangs that change their size."""
    twice: dict[str, Counter[str]] = {}
    for following in state.counts.next_sizes:
        for node in {entry.node for entry in following.members}:
            twice.setdefault(node, Counter()).update(counted_twice_of(state, following.gang, node))
    return twice


def _taken(state: State, reservation: Reservation, node: str) -> Counter[str]:
    """The amounts that the reservation's members take of that node now, by resource."""
    charged = state.ledger.charged(reservation.gang, reservation.gang_uid, reservation.attempt)
    taken: Counter[str] = Counter()
    for request in set(reservation.requests.values()):
        for resource, amount in request:
            taken[resource] += amount * charged.get((node, request), 0)
    return taken
