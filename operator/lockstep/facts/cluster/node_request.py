"""What is known of nodes that were asked for: a gang's request to a cluster autoscaler, and what that has said."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, assert_never

from coschedule import GangKey
from coschedule import Reason as PlanReason
from lockstep.facts.reason_meanings import meaning_of
from lockstep.facts.reasons import Reason


class Stance(StrEnum):
    """What a plan means for nodes that do not exist: ask for them, keep a request as it is, or take it back."""

    ASK = "Ask"
    KEEP = "Keep"
    WITHDRAW = "Withdraw"


def stance_on(reason: str) -> Stance:
    """What the reason of a gang's condition ``Planned`` means for its request; one that is not known says nothing."""
    if reason in _OF_PLANS:
        return _of_plan(PlanReason(reason))
    is_withdrawn = reason in _OURS and meaning_of(Reason(reason)).wants_no_nodes
    return Stance.WITHDRAW if is_withdrawn else Stance.KEEP


_OF_PLANS, _OURS = frozenset(PlanReason), frozenset(Reason)


def _of_plan(reason: PlanReason) -> Stance:
    match reason:
        case PlanReason.NO_NODE_FITS | PlanReason.NOT_ENOUGH_ROOM | PlanReason.NO_DOMAIN_FITS:
            return Stance.ASK
        case PlanReason.NO_ROOM_TOGETHER | PlanReason.HELD_BY_LASTING_PODS | PlanReason.HOLDS_NODES:
            return Stance.ASK
        case PlanReason.NO_TIME_FOR_SIZE | PlanReason.WINDOW_TOO_SHORT | PlanReason.DEADLINE_CANNOT_BE_MET:
            # More nodes would mend nothing, or the gang knows when it starts without them.
            return Stance.WITHDRAW
        case PlanReason.TOPOLOGIES_CROSS | PlanReason.TOO_MANY_COMBINATIONS | PlanReason.CONSTRAINTS_TOO_LONG:
            return Stance.WITHDRAW
        case PlanReason.HELD_BY_GANGS_IN_FRONT | PlanReason.BEHIND_IN_QUEUE | PlanReason.PLANNING_FAILED:
            return Stance.KEEP
        case _:
            assert_never(reason)


AnswerReason = Literal[
    Reason.NODES_REQUESTED, Reason.REQUEST_ACCEPTED, Reason.NODES_PROVISIONED, Reason.PROVISIONING_FAILED
]
"""What an autoscaler has said, as a reason of ours."""


class NodesAnswer(NamedTuple):
    """What an autoscaler has said last, as a reason of ours, and in its own words, which are to be trusted no further.

    ``is_over``: it will not do anything more for this request.
    """

    reason: AnswerReason = Reason.NODES_REQUESTED
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
