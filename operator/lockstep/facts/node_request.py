"""What is known of nodes that were asked for: a gang's request to a cluster autoscaler, and what that has said."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule import GangKey
from coschedule import Reason as PlanReason
from lockstep.facts.reasons import Reason


class Stance(StrEnum):
    """What a plan means for nodes that do not exist: ask for them, keep a request as it is, or take it back."""

    ASK = "Ask"
    KEEP = "Keep"
    WITHDRAW = "Withdraw"


_ASKS = frozenset(
    {
        PlanReason.NO_NODE_FITS,
        PlanReason.NOT_ENOUGH_ROOM,
        PlanReason.NO_DOMAIN_FITS,
        PlanReason.NO_ROOM_TOGETHER,
        PlanReason.HELD_BY_LASTING_PODS,
        PlanReason.HOLDS_NODES,
    }
)
# More nodes would mend nothing, or the gang knows when it starts without them.
_WITHDRAWS = frozenset(
    {
        PlanReason.NO_TIME_FOR_SIZE,
        PlanReason.WINDOW_TOO_SHORT,
        PlanReason.DEADLINE_CANNOT_BE_MET,
        PlanReason.TOPOLOGIES_CROSS,
        PlanReason.TOO_MANY_COMBINATIONS,
        PlanReason.CONSTRAINTS_TOO_LONG,
        Reason.QUOTA_EXCEEDED,
        Reason.STARTS_LATER,
        Reason.PREEMPTING,
    }
)


def stance_on(reason: str) -> Stance:
    """What the reason of a gang's condition ``Planned`` means for its request; any other than these says nothing."""
    if reason in _ASKS:
        return Stance.ASK
    return Stance.WITHDRAW if reason in _WITHDRAWS else Stance.KEEP


class NodesAnswer(NamedTuple):
    """What an autoscaler has said last, as a reason of ours, and in its own words, which are to be trusted no further.

    ``is_over``: it will not do anything more for this request.
    """

    reason: Reason = Reason.NODES_REQUESTED
    words: str = ""
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRequest:
    """A request of a gang's; ``templates`` are the names of those that say what its members are like."""

    gang: GangKey
    gang_uid: str
    name: str
    uid: str
    created: float
    templates: tuple[str, ...]
    answer: NodesAnswer
