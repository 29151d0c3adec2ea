"""A change of the size of a gang that runs, and why it is made."""

from enum import StrEnum
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class SizeReason(StrEnum):
    """Why a gang changes its size."""

    OWNER_RETURNS = "OwnerReturns"
    """A gang of known end leaves a node whose owner returns before the end that the gang had."""
    SLOW_NODE = "SlowNode"
    """A gang of known end leaves its slowest node. After the change, its slowest node is faster."""
    OTHER_GANGS = "OtherGangs"
    """A gang of known end gives up nodes on which other running gangs get members, as these gangs gain more."""
    ROOM_FREE = "RoomFree"
    """A gang of known end grows onto nodes that were not its own."""
    EARLIER_PLAN = "EarlierPlan"
    """An earlier plan was wrong: a gang of known end shrinks, although no gang gets its nodes now.

    Either it now ends sooner with fewer members, or promises need more room.
    """
    ASKED = "Asked"
    """The gang has been asked to have this size."""
    IDLE_NODES = "IdleNodes"
    """The gang grows into nodes that no gang waits for."""
    WAITING_GANG = "WaitingGang"
    """The gang gives up nodes on which a waiting gang starts."""
    MEASURED_SPEEDS = "MeasuredSpeeds"
    """By the measured speeds of gangs at their sizes, the change divides the nodes better."""
    URGENT_GANG = "UrgentGang"
    """The gang gives up nodes on which a more urgent gang starts."""
    FAIR_SHARE = "FairShare"
    """The gang gives up nodes on which a waiting gang starts: the group of that gang has used less of its share."""


class OwnerReturn(NamedTuple):
    """The owner of the node ``node`` returns at ``time`` or, if ``is_forecast``, is likely to return by ``time``."""

    node: str
    time: float
    is_forecast: bool


class SlowNode(NamedTuple):
    """A member on the node named ``node`` takes ``times`` times as long as a member on the node ``than``."""

    node: str
    times: float
    than: str


class SizeChange(NamedTuple):
    """A gang that had ``was`` members continues with one member on each of ``nodes``.

    The gang ends at ``end``. Without the change it would end at ``end_before``. If ``is_open_ended``, both are guesses,
    or inf. ``made_for`` is the waiting gang for which this gang gives up nodes, if there is one. ``fixed`` more
    members, whose number never changes, keep their nodes. ``speed`` is the expected speed after the change, divided by
    the speed before it; None without measurements. ``leaves`` is the node that the gang leaves, if that is the reason.
    """

    gang: GangKey
    was: int
    nodes: tuple[int, ...]
    end: float
    end_before: float
    is_open_ended: bool = False
    because: SizeReason = SizeReason.EARLIER_PLAN
    made_for: GangKey | None = None
    fixed: int = 0
    speed: float | None = None
    leaves: OwnerReturn | SlowNode | None = None

    @property
    def size_before(self) -> int:
        """The number of members that the gang had, with the fixed ones."""
        return self.was + self.fixed

    @property
    def size_after(self) -> int:
        """The number of members that the gang will have, with the fixed ones."""
        return len(self.nodes) + self.fixed
