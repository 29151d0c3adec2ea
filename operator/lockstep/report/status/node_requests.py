"""The condition ``NodesRequested``: the state of a gang's ProvisioningRequest, in a sentence."""

from typing import assert_never

from lockstep.facts.cluster.node_request import AnswerReason, NodeRequest
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.conditions import FALSE, TRUE, with_condition
from lockstep.report.text.sentences import n_members


def mark_nodes_requested(gang: GangFact, members: int, request: NodeRequest, *, now: float) -> GangStatus:
    """The status of a gang with a request for this number of members. The condition has the answer to the request."""
    answer = request.answer
    asked = f"ProvisioningRequest {request.name} asks for nodes for {n_members(members)}"
    quoted = f'. The autoscaler says "{answer.message}"' if answer.message else ""
    says = (FALSE if answer.is_over else TRUE, answer.reason, f"{asked}; {_says(answer.reason)}{quoted}.")
    return with_condition(gang.status, gang, Condition.NODES_REQUESTED, says, now)


def mark_request_refused(gang: GangFact, why: str, *, now: float) -> GangStatus:
    """The status of a gang for which nodes can't be requested."""
    says = (FALSE, Reason.REQUEST_REFUSED, f"Lockstep can't ask for nodes: {why.rstrip('.')}.")
    return with_condition(gang.status, gang, Condition.NODES_REQUESTED, says, now)


def _says(reason: AnswerReason) -> str:
    match reason:
        case Reason.NODES_REQUESTED:
            return "the autoscaler has not provided them yet"
        case Reason.REQUEST_ACCEPTED:
            return "the autoscaler has accepted it"
        case Reason.NODES_PROVISIONED:
            return "the autoscaler says that they are there"
        case Reason.PROVISIONING_FAILED:
            return "the autoscaler does not provide them, and Lockstep asks again later"
        case _:
            assert_never(reason)
