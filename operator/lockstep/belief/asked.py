"""Who is planned in a snapshot, and its columns: as many gangs as these have room for."""

from collections.abc import Generator, Sequence
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.column_turns import ColumnTurns
from lockstep.belief.resource_columns import Columns, choosing_columns, is_of_every_node
from lockstep.belief.state import State
from lockstep.belief.volume_columns import VolumeColumns
from lockstep.belief.wanted import Wanted


class Asked(NamedTuple):
    """What gangs want, the columns in which that is counted, and what there is of those about volumes."""

    wanted: Sequence[Wanted]
    columns: Columns
    volumes: VolumeColumns


def choosing(
    state: State, wanted: Sequence[Wanted], turns: ColumnTurns
) -> Generator[None, None, tuple[Asked, set[GangKey]]]:
    """Choose columns for all of these gangs, in steps; returns also those whose turn has not come."""
    asked = yield from _asked(state, wanted)
    left_out = turns.left_out({one.gang.key: _own_columns(asked, one) for one in wanted})
    if left_out:
        asked = yield from _asked(state, [one for one in wanted if one.gang.key not in left_out])
    return asked, left_out


def _asked(state: State, wanted: Sequence[Wanted]) -> Generator[None, None, Asked]:
    columns = yield from choosing_columns((part.request for one in wanted for part in one.parts), _Known(state))
    return Asked(wanted, columns, VolumeColumns(wanted, state.attachments))


def _own_columns(asked: Asked, one: Wanted) -> frozenset[str]:
    """The columns that are there for what few gangs ask for, of those that a gang uses."""
    columns = frozenset[str]().union(*(asked.columns.of_request(part.request) for part in one.parts))
    return frozenset(name for name in columns if is_of_every_node(name) or asked.volumes.is_of_gang(name))


class _Known:
    """What belief knows of resources."""

    def __init__(self, state: State) -> None:
        self._state = state
        nominated = state.neighbours.nominated.values()
        self._nominated = {name for pod in nominated for name, _ in pod.request if is_of_every_node(name)}

    def is_offered(self, resource: str) -> bool:
        return self._state.nodes.is_offered(resource)

    def is_taken(self, resource: str) -> bool:
        return self._state.ledger.is_taken(resource) or resource in self._nominated
