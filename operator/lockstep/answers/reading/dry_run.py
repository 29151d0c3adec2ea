"""Submits objects as dry runs, to apply the API server's defaults, rules and admission. Nothing is created."""

from http import HTTPStatus

from coschedule import GangKey
from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.gang_called import gang_called, gang_typed
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.manifest import Manifest
from lockstep.belief.state import State


async def suppose(client: KubeClient, state: State, manifest: Manifest) -> GangKey:
    """Create the GangJob as a dry run, and add the result to ``state``; returns its key. Raises ``AnswerError``."""
    key = GangKey(manifest["metadata"]["namespace"], manifest["metadata"]["name"])
    made = await dry_run_of(client, paths.gangs_of(key.namespace), manifest, key)
    state.apply_gang(parse_gang(made, None, state.pool, state.gate_image))
    return key


async def dry_run_of(client: KubeClient, target: Target, manifest: Manifest, gang: GangKey) -> Manifest:
    """Create a GangJob, a Gang or a GangSweep as a dry run, and return the result. Raises ``AnswerError``."""
    with answered(client):
        answer = await client.dry_run(target, manifest, fieldValidation="Strict")
    if not answer.is_success:
        raise AnswerError(_refused(answer, target.resource, gang))
    # An object from a dry run has no version.
    return {**answer.body, "metadata": {"resourceVersion": "", **answer.body["metadata"]}}


def there_already(gang: GangKey) -> str:
    """A sentence that says that a GangJob, a Gang or a GangSweep of this name exists already."""
    typed = gang_typed(gang)
    return f"{gang_called(gang)} exists already: ask about it with lockstep explain {typed} -n {gang.namespace}."


def _refused(answer: Answer, resource: str, gang: GangKey) -> str:
    if answer.code == HTTPStatus.CONFLICT:
        return there_already(gang)
    if answer.is_about_access:
        needed = f"The verb create on {resource} of namespace {gang.namespace} is needed, and was refused"
        return f"{needed}: {answer.message}. Nothing would be created."
    return f"The API server would refuse {gang_called(gang)}: {answer.message}."
