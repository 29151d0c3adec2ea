"""The facts of the timeline at one moment: copies of tables whose entries are immutable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Decision, GangKey
from lockstep.api.pool import Pool
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidFact, NodeFact
from lockstep.facts.gang.gang import GangFact
from lockstep.snapshot.holders.endings import expected_end


class Held(NamedTuple):
    """What a gang holds, and its expected end, None if unknown."""

    reservation: Reservation
    end: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineFacts:
    """Nodes with their bids, gangs, what they hold, and decisions on the others; times are seconds since the epoch."""

    nodes: Mapping[str, NodeFact]
    bids: Mapping[str, BidFact]
    pool: Pool
    gangs: Mapping[GangKey, GangFact]
    held: Mapping[GangKey, Held]
    decisions: Sequence[Decision]

    def waits(self, key: GangKey) -> bool:
        """Whether such a gang exists, wants nodes and has none."""
        gang = self.gangs.get(key)
        if gang is None or key in self.held or gang.is_deleting or gang.policies.is_suspended:
            return False
        return gang.status.end is None

    @property
    def next_overrun(self) -> float:
        """The earliest expected end, at which it must be computed again; infinity where there is none."""
        return min((held.end for held in self.held.values() if held.end is not None), default=float("inf"))


def freeze(state: State, decisions: Sequence[Decision], *, planned_at: float, now: float) -> TimelineFacts:
    """Copy the facts; ``decisions`` are those of the last plan, made at ``planned_at``."""
    return TimelineFacts(
        nodes=dict(state.nodes),
        bids=dict(state.bids),
        pool=state.pool,
        gangs=dict(state.gangs),
        held={key: Held(one, _end(state, one, planned_at, now)) for key, one in state.reservations.items()},
        decisions=decisions,
    )


def _end(state: State, reservation: Reservation, planned_at: float, now: float) -> float | None:
    """The end that the plan used, or a newer one where that has passed."""
    end = expected_end(state, reservation, planned_at)
    return end if end is None or end > now else expected_end(state, reservation, now)
