"""A change of the size of a gang that runs, and why it is made."""

from enum import StrEnum
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class SizeReason(StrEnum):
    """Why a gang changes its size."""

    KNOWN_ENDS = "KnownEnds"
    """With the change, the objective of all gangs of known end is greater (``resizing.worth``)."""
    ASKED = "Asked"
    """A gang of unknown end has been asked to have this size."""
    IDLE_NODES = "IdleNodes"
    """It grows into nodes that no gang waits for."""
    WAITING_GANG = "WaitingGang"
    """The gang gives up nodes on which a waiting gang starts."""
    MEASURED_SPEEDS = "MeasuredSpeeds"
    """By the measured speeds of gangs at their sizes, the change divides the nodes better."""
    URGENT_GANG = "UrgentGang"
    """The gang gives up nodes on which a more urgent gang starts."""
    FAIR_SHARE = "FairShare"
    """The gang gives up nodes on which a waiting gang starts: the group of that gang has used less of its share."""


class SizeChange(NamedTuple):
    """A gang that had ``was`` members continues with one member on each of ``nodes``.

    The gang ends at ``end``. Without the change it would end at ``end_before``. If ``is_open_ended``, both are guesses,
    or inf. ``made_for`` is the waiting gang for which this gang gives up nodes, if there is one. ``fixed`` more
    members, whose number never changes, keep their nodes. ``speed`` is the expected speed after the change, divided by
    the speed before it; None without measurements.
    """

    gang: GangKey
    was: int
    nodes: tuple[int, ...]
    end: float
    end_before: float
    is_open_ended: bool = False
    because: SizeReason = SizeReason.KNOWN_ENDS
    made_for: GangKey | None = None
    fixed: int = 0
    speed: float | None = None

    @property
    def size_before(self) -> int:
        """The number of members that the gang had, with the fixed ones."""
        return self.was + self.fixed

    @property
    def size_after(self) -> int:
        """The number of members that the gang will have, with the fixed ones."""
        return len(self.nodes) + self.fixed
