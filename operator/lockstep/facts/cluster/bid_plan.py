"""The report of a node's agent in the status of its bid, and the answer of the planner to the bid."""

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
    """The measurements and forecasts of an agent; None means unknown.

    ``forecast`` has the start and the duty cycle of hours; missing hours are unknown. ``capacity`` was measured on
    ``processor``, which is "" if unknown.
    """

    duty_cycle: float | None
    forecast: tuple[tuple[float, float], ...]
    written_at: float | None
    processor: str = ""
    capacity: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BidPlan:
    """The answer of the planner to a bid that an agent writes.

    ``slowdown`` is in thousandths; ``others_request`` is the CPU that other pods request, in thousandths of a core.
    ``members`` is the number of members on the node; ``member_uids`` has at most 1000 of them. ``message`` says all
    this in sentences. If no member can start, the message says why.
    """

    state: BidState
    slowdown: int
    until: float | None
    members: int
    member_uids: frozenset[str]
    others_request: int
    message: str
