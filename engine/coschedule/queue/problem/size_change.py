"""A change of the size of a gang that runs, and why it is made."""

from enum import StrEnum
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class SizeReason(StrEnum):
    """Why a gang changes its size."""

    KNOWN_ENDS = "KnownEnds"
    """The objective of all gangs whose end is known is greater with it (``worth``)."""
    ASKED = "Asked"
    """The size is asked of a gang of unknown end."""
    IDLE_NODES = "IdleNodes"
    """It grows into nodes that no gang waits for."""
    WAITING_GANG = "WaitingGang"
    """A gang that waits starts with what it gives up."""
    MEASURED_SPEEDS = "MeasuredSpeeds"
    """The speeds that gangs were seen to have at their sizes are better shared out with it."""
    URGENT_GANG = "UrgentGang"
    """A more urgent gang that waits starts with what it gives up."""
    FAIR_SHARE = "FairShare"
    """A gang that waits starts with what it gives up: the group of that gang has used less of its share."""


class SizeChange(NamedTuple):
    """A gang that had ``was`` members continues with one member on each of ``nodes``.

    It ends at ``end``. Without the change it would end at ``end_before``. If ``is_open_ended``, both are guesses, or
    inf. ``made_for`` is the gang that waits for what it gives up, if there is one. ``fixed`` more members, whose number
    never changes, keep their nodes. ``speed`` is how many times as fast it is expected to be, by what was measured;
    None if nothing was.
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
        """How many members the gang had, with the fixed ones."""
        return self.was + self.fixed

    @property
    def size_after(self) -> int:
        """How many members the gang will have, with the fixed ones."""
        return len(self.nodes) + self.fixed
