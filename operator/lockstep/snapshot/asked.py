"""Chooses the gangs of a snapshot, and the resources that have columns in it.

Both are bounded, so that no plan takes too long. Namespaces share the room, so that no namespace takes all of it.
"""

from collections.abc import Collection, Generator, Sequence
from functools import partial
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.common.turns import PlanShares, of_numbers, of_sets
from lockstep.belief.state import State
from lockstep.facts.pods.pod import Request
from lockstep.snapshot.nodes.resource_columns import Columns, choosing_columns, is_of_every_node
from lockstep.snapshot.volume_columns import VolumeColumns
from lockstep.snapshot.wanted import WantedGang

MOST_COLUMNS = 512
"""A snapshot has at most this number of columns for host ports, disks and volumes of single gangs.

Columns for the resources that nodes publish do not count. Two gangs may exceed the limit: see ``PlanShares``.
"""
LEAST_COLUMNS = 64
"""The limit of these columns is never below this number, however many nodes there are."""
MOST_CELLS = 400_000
"""These columns have at most this number of amounts, one for each node and column: one step copies all of them."""
MOST_TERMS = 5_000
"""In one plan, the gangs of a namespace have at most this number of terms of affinity and anti-affinity."""


class Demands(NamedTuple):
    """The gangs of a snapshot, the columns for their requests, and the columns for volumes."""

    wanted: Sequence[WantedGang]
    columns: Columns
    volumes: VolumeColumns


class Room:
    """Chooses the gangs of a snapshot if there is no room for all."""

    def __init__(self, state: State, *, most_columns: int = MOST_COLUMNS, most_terms: int = MOST_TERMS) -> None:
        self._state = state
        self._most_terms = most_terms
        self._most_columns = most_columns
        self._columns = PlanShares(most_columns)
        self._terms: dict[str, PlanShares] = {}

    def choosing(
        self, wanted: Sequence[WantedGang], running: Collection[Request] = ()
    ) -> Generator[None, None, tuple[Demands, Collection[GangKey]]]:
        """Choose gangs and their columns, in steps. Returns both, and the gangs that wait for a later plan.

        ``running`` has the requests of gangs that run and may change their size. They get columns too.
        """
        left_out = set(self._with_too_many_terms(wanted))
        asked = yield from self._asked([one for one in wanted if one.gang.key not in left_out], running)
        columns = {one.gang.key: _own_columns(asked, one) for one in asked.wanted}
        needing = [gang for gang, own in columns.items() if own]
        self._columns.most = min(self._most_columns, max(LEAST_COLUMNS, MOST_CELLS // max(1, len(self._state.nodes))))
        without_column = self._columns.left_out(needing, partial(of_sets, columns))
        if without_column:
            left_out.update(without_column)
            asked = yield from self._asked([one for one in wanted if one.gang.key not in left_out], running)
        return asked, left_out

    def _with_too_many_terms(self, wanted: Sequence[WantedGang]) -> list[GangKey]:
        """The gangs that wait because their namespace has more terms than one plan reads."""
        terms = {one.gang.key: _terms(one) for one in wanted}
        namespaces: dict[str, list[GangKey]] = {}
        for gang, count in terms.items():
            if count:
                namespaces.setdefault(gang.namespace, []).append(gang)
        self._terms = {name: self._terms.get(name) or PlanShares(self._most_terms) for name in namespaces}
        opened = partial(of_numbers, terms)
        return [gang for name, gangs in namespaces.items() for gang in self._terms[name].left_out(gangs, opened)]

    def _asked(self, wanted: Sequence[WantedGang], running: Collection[Request]) -> Generator[None, None, Demands]:
        requests = (*(part.request for one in wanted for part in one.parts), *running)
        columns = yield from choosing_columns(requests, _KnownColumns(self._state))
        return Demands(wanted, columns, VolumeColumns(wanted, self._state.attachments))


def _terms(one: WantedGang) -> int:
    return sum(len(role.pod_affinity.near) + len(role.pod_affinity.apart) for role in one.spec.roles)


def _own_columns(asked: Demands, one: WantedGang) -> frozenset[str]:
    """The columns of a gang that exist for few gangs: host ports, disks and its own volumes."""
    columns = frozenset[str]().union(*(asked.columns.of_request(part.request) for part in one.parts))
    return frozenset(name for name in columns if is_of_every_node(name) or asked.volumes.is_of_gang(name))


class _KnownColumns:
    """The resources that the cache knows."""

    def __init__(self, state: State) -> None:
        self._state = state
        nominated = state.counts.pods_nearby.nominated.values()
        self._nominated = {name for pod in nominated for name, _ in pod.request if is_of_every_node(name)}

    def is_offered(self, resource: str) -> bool:
        return self._state.nodes.is_offered(resource)

    def is_taken(self, resource: str) -> bool:
        return self._state.ledger.is_taken(resource) or resource in self._nominated
