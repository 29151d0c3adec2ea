"""What a gang that waits is told of its start: ``status.plan``."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SAME_TIME_SECONDS = 1.0
"""A status keeps whole seconds, and a plan made again from the same facts may differ by a rounding."""


class PlanChange(StrEnum):
    """Why the plan of a gang that waits is another one than before. Public: adding is compatible."""

    FIRST_PLANNED = "FirstPlanned"
    NODES_LOST = "NodesLost"
    NODES_CHANGED = "NodesChanged"
    OVERRUN = "Overrun"
    MORE_URGENT = "MoreUrgent"
    GANG_CHANGED = "GangChanged"
    LIKELY_START_PASSED = "LikelyStartPassed"
    QUEUE_CHANGED = "QueueChanged"


class NodeKind(NamedTuple):
    """So many members are expected on nodes of that speed, which is spelled with two significant digits."""

    speed: str
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """When a gang will start, as far as is known; times are in seconds.

    Nine of ten such gangs start by ``late_start``, which is None while too few have. ``promised_start`` is None where
    nothing is promised, ``expected_finish`` where it is not known how long it runs.
    Of the gangs that wait, ``position - 1`` are expected to start before it. ``waits_for`` says whose end that is.
    """

    likely_start: float
    late_start: float | None
    promised_start: float | None
    expected_finish: float | None
    size: int
    kinds: tuple[NodeKind, ...]
    position: int
    waits_for: str
    changed_at: float
    changed_because: str

    def promises_the_same_as(self, before: "Outlook") -> bool:
        """Whether start, promise and size are as before."""
        return (
            self.size == before.size
            and is_same_time(self.likely_start, before.likely_start)
            and is_same_time(self.promised_start, before.promised_start)
        )


def is_same_time(one: float | None, other: float | None) -> bool:
    """Whether a reader would see no difference."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= SAME_TIME_SECONDS
