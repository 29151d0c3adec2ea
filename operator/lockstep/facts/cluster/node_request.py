"""Requests for nodes that gangs have made to a cluster autoscaler, and its answers."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, assert_never

from coschedule import GangKey
from coschedule import Reason as PlanReason
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import Reason


class Stance(StrEnum):
    """The effect of a plan on a request for nodes: make it, keep it as it is, or withdraw it."""

    ASK = "Ask"
    KEEP = "Keep"
    WITHDRAW = "Withdraw"


def stance_on(reason: str) -> Stance:
    """The effect of the reason in a gang's condition ``Planned`` on its request; ``KEEP`` for an unknown reason."""
    if reason in _OF_PLANS:
        return _of_plan(PlanReason(reason))
    is_withdrawn = reason in _OURS and MEANINGS[Reason(reason)].wants_no_nodes
    return Stance.WITHDRAW if is_withdrawn else Stance.KEEP


_OF_PLANS, _OURS = frozenset(PlanReason), frozenset(Reason)


def _of_plan(reason: PlanReason) -> Stance:
    match reason:
        case PlanReason.NO_NODE_FITS | PlanReason.NOT_ENOUGH_ROOM | PlanReason.NO_DOMAIN_FITS:
            return Stance.ASK
        case PlanReason.NO_ROOM_TOGETHER | PlanReason.HELD_BY_LASTING_PODS | PlanReason.HOLDS_NODES:
            return Stance.ASK
        case PlanReason.NO_TIME_FOR_SIZE | PlanReason.WINDOW_TOO_SHORT | PlanReason.DEADLINE_CANNOT_BE_MET:
            # More nodes would not help, or the gang has a start without them.
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
"""An autoscaler's answer, as a reason of Lockstep."""


class NodesAnswer(NamedTuple):
    """An autoscaler's last answer: a reason of Lockstep, and the autoscaler's message, which is untrusted text.

    ``is_over``: the autoscaler will do nothing more for this request.
    """

    reason: AnswerReason = Reason.NODES_REQUESTED
    message: str = ""
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRequest:
    """A gang's request for nodes; ``templates`` are the names of the pod templates of its members."""

    gang: GangKey
    gang_uid: str
    name: str
    uid: str
    created: float
    templates: tuple[str, ...]
    answer: NodesAnswer
