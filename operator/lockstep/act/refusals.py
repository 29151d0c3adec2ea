"""What the API server's refusals mean for an attempt."""

from lockstep.failure import Failure
from lockstep.kube import Answer
from lockstep.names import Reason

_FORBIDDEN = 403
_CONFLICT = 409


def refused_pod(name: str, answer: Answer) -> Failure:
    """The API server does not let a member be created."""
    is_quota = answer.code == _FORBIDDEN and "exceeded quota" in answer.message
    reason = Reason.QUOTA_EXCEEDED if is_quota else Reason.POD_REFUSED
    return Failure(reason=reason, message=f"the API server refused pod {name}: {answer.message}")


def refused_binding(name: str, node: str, answer: Answer) -> Failure:
    """The API server does not let a member be bound."""
    return Failure(
        reason=Reason.BIND_INTERRUPTED,
        message=f"the API server refused to bind pod {name} to node {node}: {answer.message}",
    )


def is_conflict(answer: Answer) -> bool:
    """Whether something else of that name, or a newer version of it, is there."""
    return answer.code == _CONFLICT
