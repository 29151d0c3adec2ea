"""The gangs that hold nodes, from their statuses. The queue shows them above the waiting gangs."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from coschedule import GangKey
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.summary import GangState
from lockstep.facts.reasons import Condition
from lockstep.report.status.summary import state_of
from lockstep.snapshot.holders.endings import expected_finish
from lockstep.snapshot.holders.pod_gang_releases import pod_gang_end


@dataclass(frozen=True, slots=True, kw_only=True)
class OnNodes:
    """A gang that has held ``nodes`` nodes with ``size`` members ``since`` a time. ``sweep`` is as in ``Queued``.

    ``state`` is a ``GangState``, or a state that only a later version knows. The gang is expected to end at ``finish``;
    None if that is unknown, or if its members are being deleted.
    """

    gang: GangKey
    state: str
    size: int
    nodes: int
    since: float
    finish: float | None
    sweep: GangKey | None = None


def on_nodes_of(gangs: Iterable[GangFact], now: float) -> list[OnNodes]:
    """The gangs among these that hold nodes. The gang that ends first comes first."""
    found = [one for one in (_on_nodes(gang, now) for gang in gangs) if one is not None]
    return sorted(found, key=lambda one: (math.inf if one.finish is None else one.finish, one.since, one.gang))


def _on_nodes(gang: GangFact, now: float) -> OnNodes | None:
    if gang.status.end is not None:
        return None
    held = reserved_in_status(gang)
    if held is not None:
        return _row(gang, held.start, expected_finish(held, now))
    placed = gang.status.condition(Condition.PLACED)
    # The status of this Gang has no reservation any more, but its pods still run.
    if is_pod_gang(gang.key) and placed is not None and placed.status == "True" and gang.status.members:
        return _row(gang, placed.last_transition, pod_gang_end(gang.status, now))
    return None


def _row(gang: GangFact, since: float, finish: float | None) -> OnNodes:
    status, state = gang.status, state_of(gang.status)
    return OnNodes(
        gang=gang.key,
        state=state,
        size=status.size or sum(entry.count for entry in status.members),
        nodes=len({entry.node for entry in status.members}),
        since=since,
        finish=None if state is GangState.STOPPING else finish,
        sweep=None if gang.run is None else gang.run.sweep,
    )
