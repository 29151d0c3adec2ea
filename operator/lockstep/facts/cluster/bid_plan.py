"""What a node's agent reports in the status of its bid, and what the planner makes of the bid."""

from dataclasses import dataclass
from enum import StrEnum


class BidState(StrEnum):
    """Whether a node with a bid is open to members."""

    OFFERED = "Offered"
    LATER = "Later"
    CLOSED = "Closed"
    EXPIRED = "Expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class BidReport:
    """What an agent has measured and forecasts; None means unknown.

    ``forecast`` has (start, duty cycle) of hours; hours that are missing are unknown. ``capacity`` was measured on
    ``processor``, which is "" if unknown.
    """

    duty_cycle: float | None
    forecast: tuple[tuple[float, float], ...]
    written_at: float | None
    processor: str = ""
    capacity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BidPlan:
    """What the planner makes of a bid that an agent writes.

    ``slowdown`` is in thousandths; ``others_request`` is the CPU that other pods request, in thousandths of a core.
    ``members`` is the number of members on the node; ``member_uids`` has 1000 of them at most. ``message`` repeats this
    in sentences, and says why no member can start.
    """

    state: BidState
    slowdown: int
    until: float | None
    members: int
    member_uids: frozenset[str]
    others_request: int
    message: str
