"""Finds the gangs that run and may change their size. One plan reads a bounded number of them."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.pods.pod import Request
from lockstep.snapshot.holders.elastic_pod_gangs import (
    ElasticCandidate,
    elastic_candidates,
    requests_of_elastic_pods,
    resizable_pod_gang,
)
from lockstep.snapshot.holders.resizable import Resizable, has_own_columns, resizable, resizable_later
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns

MOST_MEMBERS = 8_000
"""One plan reads gangs that may change their size until they have at least this number of members together."""
# In members: each gang costs as much as this number of members, besides the cost of its own members.
_COST_OF_GANG = 7
_TURN_SECONDS = 60.0


class _ElasticHolder(NamedTuple):
    """A gang and its reservation."""

    gang: AcceptedGang
    held: Reservation

    @property
    def size(self) -> int:
        return self.held.size


_AnyHolder = _ElasticHolder | ElasticCandidate


def any_elastic_run(state: State) -> bool:
    """Whether any gang that holds nodes may change its size."""
    return any(True for _ in chain(_elastic_holders(state), elastic_candidates(state)))


def elastic_requests(state: State) -> set[Request]:
    """The requests of the members of all gangs that hold nodes and may change their size."""
    of_gangs = {role.request for gang, _ in _elastic_holders(state) for role in gang.spec.roles}
    return of_gangs.union(requests_of_elastic_pods(state))


def resizable_gangs(state: State, nodes: NodeArrays, columns: Columns, now: float) -> list[Resizable]:
    """The gangs that may change their size, with the nodes of their members. Some can do so only when they are ready.

    One step reads these gangs, so their number is bounded. All others keep their size until their turn comes.
    """
    found, read = list[Resizable](), 0
    for holder in _in_turn([*_elastic_holders(state), *elastic_candidates(state)], now):
        if read >= MOST_MEMBERS:
            break
        read += _cost(holder)
        one = (
            _resizable(state, holder, nodes, columns, now)
            if isinstance(holder, _ElasticHolder)
            else resizable_pod_gang(state, holder.gang, nodes.index, columns, now)
        )
        if isinstance(one, Resizable):
            found.append(one)
    return found


def next_elastic_turn(state: State, now: float) -> float:
    """When other gangs that may change their size have their turn; infinity if one plan reads all of them."""
    holders: list[_AnyHolder] = [*_elastic_holders(state), *elastic_candidates(state)]
    total = sum(map(_cost, holders))
    return (now // _TURN_SECONDS + 1) * _TURN_SECONDS if total > MOST_MEMBERS else math.inf


def _resizable(
    state: State, holder: _ElasticHolder, nodes: NodeArrays, columns: Columns, now: float
) -> Resizable | None:
    found = resizable(state, *holder, nodes, columns, now)
    return found if isinstance(found, Resizable) else resizable_later(state, *holder, nodes, columns, now)


def _in_turn(holders: Sequence[_AnyHolder], now: float) -> Sequence[_AnyHolder]:
    """The gangs in the order of reading. If one step can't read all, each minute begins with other gangs."""
    *before, total = accumulate(map(_cost, holders), initial=0)
    turns = -(-total // MOST_MEMBERS)
    if turns <= 1:
        return holders
    first = bisect_left(before, int(now // _TURN_SECONDS) % turns * MOST_MEMBERS)
    return [*holders[first:], *holders[:first]]


def _cost(one: _AnyHolder) -> int:
    return one.size + _COST_OF_GANG


def _elastic_holders(state: State) -> Iterator[_ElasticHolder]:
    """The gangs that hold nodes and say that their size may change.

    Gangs with host ports or disks are left out: with them, every plan would have columns that few gangs need.
    """
    for key, reservation in state.reservations.items():
        gang = state.gangs.get(key)
        if not isinstance(gang, AcceptedGang) or gang.spec.elastic is None:
            continue
        if not has_own_columns(gang.spec):
            yield _ElasticHolder(gang, reservation)
