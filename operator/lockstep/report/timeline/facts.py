"""What the timeline shows, taken from belief at one moment: copies of tables whose entries never change."""

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
    """What a gang holds, and when it is expected to give that back, None where nobody knows."""

    reservation: Reservation
    end: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineFacts:
    """Nodes with their bids, gangs, what they hold, and what was decided of the others; absolute seconds."""

    nodes: Mapping[str, NodeFact]
    bids: Mapping[str, BidFact]
    pool: Pool
    gangs: Mapping[GangKey, GangFact]
    held: Mapping[GangKey, Held]
    decisions: Sequence[Decision]

    def waits(self, key: GangKey) -> bool:
        """Whether there is such a gang, and it wants nodes and has none."""
        gang = self.gangs.get(key)
        if gang is None or key in self.held or gang.is_deleting or gang.policies.is_suspended:
            return False
        return gang.status.end is None

    @property
    def next_overrun(self) -> float:
        """When the first gang has not ended though it was expected to, so that its end moves; inf where none will."""
        return min((held.end for held in self.held.values() if held.end is not None), default=float("inf"))


def freeze(state: State, decisions: Sequence[Decision], *, planned_at: float, now: float) -> TimelineFacts:
    """Take it; ``decisions`` are those of the last plan, which was made at ``planned_at``."""
    return TimelineFacts(
        nodes=dict(state.nodes),
        bids=dict(state.bids),
        pool=state.pool,
        gangs=dict(state.gangs),
        held={key: Held(one, _end(state, one, planned_at, now)) for key, one in state.reservations.items()},
        decisions=decisions,
    )


def _end(state: State, reservation: Reservation, planned_at: float, now: float) -> float | None:
    """As the plan saw it, since that is what gangs behind are planned around; another one where it has passed."""
    end = expected_end(state, reservation, planned_at)
    return end if end is None or end > now else expected_end(state, reservation, now)
