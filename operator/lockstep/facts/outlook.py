"""What a gang that waits is told of its start: ``status.plan``."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class PlanChange(StrEnum):
    """Why the plan of a gang that waits is another one than before. Public: adding is compatible."""

    FIRST_PLANNED = "FirstPlanned"
    NODES_LOST = "NodesLost"
    NODES_CHANGED = "NodesChanged"
    OVERRUN = "Overrun"
    MORE_URGENT = "MoreUrgent"
    GANG_CHANGED = "GangChanged"
    QUEUE_CHANGED = "QueueChanged"


class NodeKind(NamedTuple):
    """So many members are expected on nodes of that speed, which is spelled with two significant digits."""

    speed: str
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """When a gang will start, as far as is known; times are in seconds.

    ``promised_start`` is None where nothing is promised, ``expected_finish`` where it is not known how long it runs.
    Of the gangs that wait, ``position - 1`` are expected to start before it. ``waits_for`` says whose end that is.
    """

    likely_start: float
    promised_start: float | None
    expected_finish: float | None
    size: int
    kinds: tuple[NodeKind, ...]
    position: int
    waits_for: str
    changed_at: float
    changed_because: str
