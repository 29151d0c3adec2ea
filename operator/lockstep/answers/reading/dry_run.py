"""Submits a GangJob as a dry run, for the API server's defaults, rules and admission. Nothing is created."""

from http import HTTPStatus

from coschedule import GangKey
from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.manifest import Manifest
from lockstep.api.preemption import gang_name
from lockstep.belief.state import State


async def suppose(client: KubeClient, state: State, manifest: Manifest) -> GangKey:
    """Add the GangJob to ``state`` as a dry run of its creation returns it. Raises ``AnswerError``."""
    namespace, name = manifest["metadata"]["namespace"], manifest["metadata"]["name"]
    with answered(client):
        answer = await client.dry_run(paths.gangs_of(namespace), manifest, fieldValidation="Strict")
    if not answer.is_success:
        raise AnswerError(_refused(answer, GangKey(namespace, name)))
    # An object from a dry run has no version.
    made = {**answer.body, "metadata": {"resourceVersion": "", **answer.body["metadata"]}}
    gang = parse_gang(made, None, state.pool, state.gate_image)
    state.apply_gang(gang)
    return gang.key


def _refused(answer: Answer, gang: GangKey) -> str:
    name = gang_name(gang)
    if answer.code == HTTPStatus.CONFLICT:
        return (
            f"GangJob {name} is there already: ask about it with lockstep explain gj/{gang.name} -n {gang.namespace}."
        )
    if answer.is_about_rights:
        needed = f"The verb create on gangjobs in {gang.namespace} is needed, though nothing is created"
        return f"{needed}, and was refused: {answer.message}."
    return f"The API server would not take GangJob {name}: {answer.message}."
