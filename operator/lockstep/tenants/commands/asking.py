"""Requests answers for tenants, for a command whose user may not read all that a plan needs."""

from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.answer import Answer, ApiUnavailableError, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.object_names import segment
from lockstep.api.cluster.answers_service import ANSWERS_API, ANSWERS_GROUP
from lockstep.api.manifest import Manifest
from lockstep.report.text.sentences import duration
from lockstep.tenants.commands.document_shapes import is_answer
from lockstep.tenants.documents import KIND_NAMES, AnswerKind, Document

_ABOUT_THE_QUESTION = (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN, HTTPStatus.UNPROCESSABLE_ENTITY)
_MOST_OF_MESSAGE = 200


class NoAnswer(NamedTuple):
    """The cluster gives no answer now; the sentence ``why`` says why.

    ``why`` is '' if the cluster has no such API, or if this user may not use it.
    """

    why: str


async def ask_answer(
    client: KubeClient, kind: AnswerKind, namespace: str, name: str, params: Mapping[str, str] | None = None
) -> Document | NoAnswer:
    """The answer, or the reason why there is none. Raises ``AnswerError`` if the question is refused."""
    path = f"{_path(kind, namespace)}/{segment(name)}"
    return await _answered(kind, client.get(Target(path, kind), params))


async def ask_plan(client: KubeClient, namespace: str, name: str, spec: Manifest) -> Document | NoAnswer:
    """The plan with a supposed GangJob, or the reason why there is none.

    Raises ``AnswerError`` if the question is refused.
    """
    return await _ask_with(client, AnswerKind.PLANS, namespace, name, {"gangJobSpec": spec})


async def ask_sweep_plan(client: KubeClient, namespace: str, name: str, spec: Manifest) -> Document | NoAnswer:
    """The plan with a supposed GangSweep, or the reason why there is none.

    The sweep's ``spec`` has the number of runs in place of parameters. Raises ``AnswerError`` if the question is
    refused.
    """
    return await _ask_with(client, AnswerKind.SWEEP_PLANS, namespace, name, {"gangSweepSpec": spec})


async def _ask_with(
    client: KubeClient, kind: AnswerKind, namespace: str, name: str, spec: Manifest
) -> Document | NoAnswer:
    metadata = {"namespace": namespace, "name": name}
    body = {"apiVersion": ANSWERS_API, "kind": KIND_NAMES[kind], "metadata": metadata, "spec": spec}
    return await _answered(kind, client.review(Target(_path(kind, namespace), kind), body))


def _path(kind: AnswerKind, namespace: str) -> str:
    return f"/apis/{ANSWERS_API}/namespaces/{segment(namespace)}/{kind}"


async def _answered(kind: AnswerKind, asking: Awaitable[Answer]) -> Document | NoAnswer:
    try:
        return _document(kind, await asking)
    except ApiUnavailableError as error:
        return NoAnswer(_silent(error))


def _document(kind: AnswerKind, answer: Answer) -> Document | NoAnswer:
    if answer.is_success:
        if not is_answer(kind, answer.body):
            return NoAnswer(f"The answer of the cluster's API for tenants is no readable object of {kind}.")
        return answer.body
    if _retry_seconds(answer) is not None and answer.code in _ABOUT_THE_QUESTION:
        raise AnswerError(_message(answer))
    return NoAnswer("")


def _silent(error: ApiUnavailableError) -> str:
    """A sentence that says why the API does not answer now, and when to ask again."""
    answer = error.answer
    if answer is None:
        return f"The cluster's API for tenants does not answer: {str(error)[:_MOST_OF_MESSAGE]}."
    again = _retry_seconds(answer)
    when = f" Ask again in {duration(again)}." if again else ""
    return f"The cluster's API for tenants gives no answer now ({answer.code}): {_message(answer)}{when}"


def _message(answer: Answer) -> str:
    """The answer's message as a sentence."""
    return f"{answer.message[:_MOST_OF_MESSAGE].strip().rstrip('.')}."


def _retry_seconds(answer: Answer) -> float | None:
    """The seconds after which to ask again, by the server of answers; None if another server has answered."""
    details: Any = answer.body.get("details")
    if not isinstance(details, dict) or details.get("group") != ANSWERS_GROUP:
        return None
    seconds = details.get("retryAfterSeconds")
    return float(seconds) if isinstance(seconds, int) else None
