"""The meaning of the API server's refusals for an attempt."""

from http import HTTPStatus

from lockstep.api.client.answer import Answer
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

# Policies and webhooks use these words, with any code and any further text.
_DENIED = (" denied request", " denied the request")
# Policies also answer "forbidden" (403) with other words. Waiting helps only if such an answer has one of these texts.
_MENDED_BY_OTHERS = (
    # Quotas: other pods may end. But a quota that says what a pod "must specify" is a policy.
    "exceeded quota",
    "status unknown for quota",
    # A service account, a RuntimeClass or a PriorityClass may be created later.
    " not found",
    "no PriorityClass with name",
    "no API token found for service account",
    # The gang is deleted with its namespace.
    "because it is being terminated",
    # The API server has just started.
    "not yet ready to handle request",
)
# The answer to a patch with the UID of an earlier pod, if another pod has the same name by now.
_ANOTHER_POD = "metadata.uid: Invalid value"
# A webhook does not support dry runs. This says nothing about the pod.
_NO_DRY_RUN = "does not support dry run"


def refused_pod(name: str, answer: Answer) -> Failure:
    """The failure of an attempt whose pod ``name`` the API server refused to create."""
    if refused_template(answer) is not None:
        reason = Reason.TEMPLATE_REFUSED
    elif answer.code == HTTPStatus.FORBIDDEN and "exceeded quota" in answer.message:
        reason = Reason.QUOTA_EXCEEDED
    else:
        reason = Reason.POD_REFUSED
    return Failure(reason=reason, message=f"the API server refused pod {name}: {answer.message}")


def refused_claim(name: str, answer: Answer) -> Failure:
    """The failure of an attempt whose claim ``name`` the API server refused to create, or to give a node."""
    is_quota = answer.code == HTTPStatus.FORBIDDEN and "exceeded quota" in answer.message
    reason = Reason.QUOTA_EXCEEDED if is_quota else Reason.CLAIM_REFUSED
    return Failure(reason=reason, message=f"the API server refused claim {name}: {answer.message}")


def refused_template(answer: Answer) -> Refusal | None:
    """Why such a member can never be created, according to the API server; None if waiting may help."""
    if not _is_final(answer):
        return None
    return Refusal(Reason.TEMPLATE_REFUSED, f"The API server refuses the members: {answer.message.rstrip('.')}.")


def _is_final(answer: Answer) -> bool:
    if any(words in answer.message for words in _DENIED):
        return True
    if answer.code == HTTPStatus.FORBIDDEN:
        return not answer.is_about_access and not any(words in answer.message for words in _MENDED_BY_OTHERS)
    is_about_content = answer.code in (
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        HTTPStatus.UNPROCESSABLE_ENTITY,
    )
    return is_about_content and not is_no_dry_run(answer)


def is_no_dry_run(answer: Answer) -> bool:
    """Whether the request was refused only because it was a dry run."""
    return not answer.is_success and _NO_DRY_RUN in answer.message


def refused_binding(name: str, node: str, answer: Answer) -> Failure:
    """The failure of an attempt after the API server refused to bind a member."""
    return Failure(
        reason=Reason.BIND_INTERRUPTED,
        message=f"the API server refused to bind pod {name} to node {node}: {answer.message}",
    )


def is_conflict(answer: Answer) -> bool:
    """Whether another object of that name, or a newer version, exists."""
    return answer.code == HTTPStatus.CONFLICT


def is_pod_gone_or_changed(answer: Answer) -> bool:
    """Whether the pod that a patch names by UID is gone or has changed."""
    is_another = answer.code == HTTPStatus.UNPROCESSABLE_ENTITY and _ANOTHER_POD in answer.message
    return answer.is_gone_or_changed or is_another
