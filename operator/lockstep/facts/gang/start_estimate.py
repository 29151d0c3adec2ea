"""The start estimate of a waiting gang: ``status.plan``."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SAME_TIME_SECONDS = 1.0
"""In seconds.

Times that differ by this or less count as equal: a status keeps whole seconds, and plans may differ by rounding.
"""


class PlanChange(StrEnum):
    """Why the plan of a waiting gang has changed.

    Users read these names: new ones may be added, none may be renamed.
    """

    FIRST_PLANNED = "FirstPlanned"
    NODES_LOST = "NodesLost"
    NODES_CHANGED = "NodesChanged"
    OVERRUN = "Overrun"
    MORE_URGENT = "MoreUrgent"
    GANG_CHANGED = "GangChanged"
    LIKELY_START_PASSED = "LikelyStartPassed"
    QUEUE_CHANGED = "QueueChanged"


class NodeKind(NamedTuple):
    """The number of members expected on nodes of a speed. ``speed`` is text with two significant digits."""

    speed: str
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StartEstimate:
    """When a gang is expected to start.

    About nine of ten gangs start by their ``late_start``. It is None until enough gangs have started.
    ``promised_start`` is None if nothing is promised. ``expected_finish`` is None if the run time is unknown.
    ``position - 1`` waiting gangs are expected to start earlier. ``waits_for`` is a clause that names the gang or node
    for which this gang waits.
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

    def promises_the_same_as(self, before: "StartEstimate") -> bool:
        """Whether start, promise and size are the same as before."""
        return (
            self.size == before.size
            and is_same_time(self.likely_start, before.likely_start)
            and is_same_time(self.promised_start, before.promised_start)
        )


def is_same_time(one: float | None, other: float | None) -> bool:
    """Whether two times count as equal."""
    if one is None or other is None:
        return one is other
    return abs(one - other) <= SAME_TIME_SECONDS
