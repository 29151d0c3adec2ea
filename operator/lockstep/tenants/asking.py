"""Asks the cluster's answers for tenants, on behalf of a command whose user may not read what plans are made from."""

from http import HTTPStatus

from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.answer import ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.object_names import segment
from lockstep.api.cluster.answers_service import ANSWERS_API, ANSWERS_GROUP
from lockstep.tenants.documents import AnswerKind, Document

_ABOUT_THE_QUESTION = (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN)


async def ask_answer(client: KubeClient, kind: AnswerKind, namespace: str, name: str) -> Document | None:
    """The answer; None where the cluster gives none, or not to this user. Raises ``AnswerError`` if it refuses."""
    path = f"/apis/{ANSWERS_API}/namespaces/{segment(namespace)}/{kind}/{segment(name)}"
    try:
        answer = await client.get(Target(path, kind))
    except ApiUnavailableError:
        return None
    if answer.is_success:
        return answer.body
    details = answer.body.get("details")
    is_theirs = isinstance(details, dict) and details.get("group") == ANSWERS_GROUP and "retryAfterSeconds" in details
    if is_theirs and answer.code in _ABOUT_THE_QUESTION:
        raise AnswerError(answer.message)
    return None
