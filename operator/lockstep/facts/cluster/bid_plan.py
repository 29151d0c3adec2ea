"""What a node's agent says beside its bid, and what the planner makes of the bid."""

from dataclasses import dataclass
from enum import StrEnum


class BidState(StrEnum):
    """What members find at a node with a bid."""

    OFFERED = "Offered"
    LATER = "Later"
    CLOSED = "Closed"
    EXPIRED = "Expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class BidReport:
    """What an agent measured: the duty cycle now, what it foretells of this hour and others, and when it said so.

    ``foretold`` are the duty cycles of hours, by when these begin. What is None, or not among them, nobody knows.
    ``capacity`` is what was measured on ``processor``, which is "" where nobody knows it.
    """

    duty_cycle: float | None
    foretold: tuple[tuple[float, float], ...]
    written_at: float | None
    processor: str = ""
    capacity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BidPlan:
    """What the planner makes of a bid that an agent writes.

    ``slowdown`` is in thousandths, ``others_request`` in thousandths of a core. ``members`` are on the node; of
    ``member_uids`` there are 1000 at most. ``message`` says it in sentences, and why nothing can start.
    """

    state: BidState
    slowdown: int
    until: float | None
    members: int
    member_uids: frozenset[str]
    others_request: int
    message: str
