"""Puts a gang back into the queue, by requests that its user could also send with kubectl."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from http import HTTPStatus
from typing import NamedTuple

from coschedule import GangKey
from lockstep.answers.reading.cluster import answered, parse_shown, read_gang, read_members
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.kueue.gang_workload import workload_name
from lockstep.api.kueue.workload import workload_at
from lockstep.api.manifest import Manifest
from lockstep.api.membership import membership
from lockstep.api.names import API_VERSION, GANG_KIND
from lockstep.api.preemption import gang_name
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.report.text.sentences import duration

Waiting = Callable[[], AbstractContextManager[Callable[[], None]]]
"""Makes a context for a wait. The context yields a function, which is called each time the wait goes on."""

_POLL_SECONDS = 0.5
# The fields of the metadata that users write.
_OWN_METADATA = ("namespace", "name", "labels", "annotations", "ownerReferences")


class _Patience(NamedTuple):
    seconds: float
    waiting: Waiting


class NotMadeAnewError(AnswerError):
    """A finished gang was deleted, but could not be created again. ``manifest`` is the object to create."""

    def __init__(self, message: str, manifest: Manifest) -> None:
        super().__init__(message)
        self.manifest = manifest


def _silently() -> AbstractContextManager[Callable[[], None]]:
    return nullcontext(lambda: None)


async def requeue_gang(client: KubeClient, key: GangKey, *, within_seconds: float, waiting: Waiting = _silently) -> str:
    """Let the gang be planned anew; returns a sentence that says what was done.

    A finished gang is deleted and created again. A gang that holds nodes or is in its back-off is suspended and
    resumed. A suspended gang is resumed. Raises ``AnswerError`` if that is impossible or takes longer than
    ``within_seconds``.
    """
    patience = _Patience(within_seconds, waiting)
    manifest = await _existing(client, key)
    gang = parse_shown(manifest)
    if gang.is_deleting:
        raise AnswerError(f"GangJob {gang_name(key)} is being deleted.")
    if gang.status.end is not None:
        return await _make_anew(client, manifest, gang, patience)
    if gang.policies.queue:
        await _check_not_queued(client, gang)
    if gang.policies.is_suspended:
        await _suspend(client, key, wanted=False)
        return f"{gang_name(key)} was suspended, and is planned again."
    refused = _refusal(gang)
    if refused is not None:
        raise AnswerError(f"GangJob {gang_name(key)} is refused, so it can't be planned: {refused}")
    if gang.status.reserved_at is None and gang.status.restart_at is None:
        return f"{gang_name(key)} waits in the queue already."
    return await _start_over(client, gang, patience)


async def _existing(client: KubeClient, key: GangKey) -> Manifest:
    manifest = await read_gang(client, key)
    if manifest is None:
        raise AnswerError(f"There is no GangJob {gang_name(key)}.")
    return manifest


async def _check_not_queued(client: KubeClient, gang: GangFact) -> None:
    """Raise ``AnswerError`` if the gang has a Workload: then Kueue decides when the gang runs."""
    name = workload_name(gang.key.name, gang.uid)
    with answered(client):
        found = await client.get(workload_at(gang.key.namespace, name))
    if found.is_success:
        raise AnswerError(
            f"GangJob {gang_name(gang.key)} is in the queue {gang.policies.queue} of Kueue, which decides when it "
            f"runs. To restart it, set spec.active of Workload {name} to false, and then to true."
        )


def _refusal(gang: GangFact) -> str | None:
    if gang.refusal is not None:
        return gang.refusal.message
    accepted = gang.status.condition(Condition.ACCEPTED)
    return None if accepted is None or accepted.status != "False" else accepted.message


async def _start_over(client: KubeClient, gang: GangFact, patience: _Patience) -> str:
    """Suspend the gang, and resume it when it holds no nodes; returns a sentence that says what was done."""
    await _suspend(client, gang.key, wanted=True)
    name = gang_name(gang.key)
    try:
        async with asyncio.timeout(patience.seconds):
            await _until(lambda: _is_suspended(client, gang.key), patience.waiting)
    except TimeoutError as error:
        raise AnswerError(
            f"GangJob {name} is suspended, and still holds nodes after {duration(patience.seconds)}: run the "
            "command again when it holds none, to resume it."
        ) from error
    except asyncio.CancelledError as error:
        raise AnswerError(
            f"GangJob {name} is suspended, and this command did not wait until it held no nodes: run the command again "
            "to resume it."
        ) from error
    await _suspend(client, gang.key, wanted=False)
    held = "was taken off its nodes" if gang.status.reserved_at is not None else "had paused after a failure"
    return f"{name} {held}, and is planned again."


async def _suspend(client: KubeClient, key: GangKey, *, wanted: bool) -> None:
    with answered(client):
        answer = await client.patch(paths.gang(key), {"spec": {"suspend": wanted}})
    _check(answer, f"GangJob {gang_name(key)} can't be changed")


async def _make_anew(client: KubeClient, manifest: Manifest, gang: GangFact, patience: _Patience) -> str:
    """Delete the gang, and create it again when its pods are gone, too; returns a sentence that says what was done."""
    name = gang_name(gang.key)
    _refuse_volumes(manifest, gang.key)
    _refuse_run(gang)
    again = _as_submitted(manifest)
    # From here on, this process may have the only copy of the manifest.
    await _delete(client, gang, again)
    try:
        await _create_once_gone(client, gang, again, patience)
    except TimeoutError as error:
        waits = f"GangJob {name} is deleted, but parts of it still exist after {duration(patience.seconds)}"
        raise NotMadeAnewError(f"{waits}; its manifest is written to the output.", again) from error
    except asyncio.CancelledError as error:
        unmade = f"GangJob {name} is deleted, and this command did not wait until it could be created again"
        raise NotMadeAnewError(f"{unmade}; its manifest is written to the output.", again) from error
    except AnswerError as error:
        raise NotMadeAnewError(f"{error} Its manifest is written to the output.", again) from error
    return f"{name} had ended, and is created again."


async def _delete(client: KubeClient, gang: GangFact, again: Manifest) -> None:
    """Delete a gang that has ended.

    Raises ``NotMadeAnewError`` if no answer says whether the gang was deleted.
    """
    name = gang_name(gang.key)
    try:
        with answered(client):
            answer = await client.delete(paths.gang(gang.key), uid=gang.uid, version=gang.resource_version)
        is_deleted = answer.is_success or await _was_deleted(client, gang, answer)
    except (AnswerError, asyncio.CancelledError) as error:
        unknown = f"GangJob {name} may be deleted, since the API server has not answered"
        raise NotMadeAnewError(f"{unknown}; its manifest is written to the output.", again) from error
    if not is_deleted:
        _check(answer, f"GangJob {name} has ended, and can't be deleted for a new run")


async def _was_deleted(client: KubeClient, gang: GangFact, answer: Answer) -> bool:
    """Whether an earlier try has deleted the gang.

    If the answer to the earlier try was lost, the client tries again, and the API server refuses this try. Raises
    ``AnswerError`` if the answer to the last try does not say.
    """
    if answer.is_unserved:
        raise AnswerError(answer.message)
    if answer.code != HTTPStatus.CONFLICT:
        return answer.is_absence
    there = await read_gang(client, gang.key)
    return there is None or (there["metadata"]["uid"] == gang.uid and parse_shown(there).is_deleting)


def _refuse_volumes(manifest: Manifest, gang: GangKey) -> None:
    """Raise ``AnswerError`` if volumes would be deleted with the gang.

    The manifest is read, not the parsed spec, because Lockstep may refuse the spec.
    """
    spec = manifest["spec"]
    if any(holder.get("volumeClaimTemplates") for holder in spec.get("roles") or [spec]):
        raise AnswerError(
            f"GangJob {gang_name(gang)} has ended. A new run would have to delete it, and the volumes of its "
            "volumeClaimTemplates: create another GangJob instead."
        )


def _refuse_run(gang: GangFact) -> None:
    """Raise ``AnswerError`` if the gang is a run of a sweep, because a sweep counts only the first end of a run."""
    run = gang.run
    if run is not None:
        name = sweep_name(run.sweep)
        raise AnswerError(
            f"GangJob {gang_name(gang.key)} is run {run.number} of GangSweep {name}, and has ended. If it has failed, "
            f"repeat it with lockstep requeue sweep/{name} --run {run.number}."
        )


async def _create_once_gone(client: KubeClient, gang: GangFact, again: Manifest, patience: _Patience) -> None:
    async with asyncio.timeout(patience.seconds):
        await _until(lambda: _is_gone(client, gang), patience.waiting)
    with answered(client):
        answer = await client.create(paths.gangs_of(gang.key.namespace), again)
    if answer.code != HTTPStatus.CONFLICT or not await _was_created(client, gang.key, again):
        _check(answer, f"GangJob {gang_name(gang.key)} is deleted, and can't be created again")


async def _was_created(client: KubeClient, key: GangKey, again: Manifest) -> bool:
    """Whether an earlier try has created the gang.

    If the answer to the earlier try was lost, the client tries again, and the API server refuses this try.
    """
    there = await read_gang(client, key)
    return there is not None and there["spec"] == again["spec"]


async def _until(holds: Callable[[], Awaitable[bool]], waiting: Waiting) -> None:
    with waiting() as still_waiting:
        while not await holds():
            still_waiting()
            await asyncio.sleep(_POLL_SECONDS)


async def _is_suspended(client: KubeClient, key: GangKey) -> bool:
    return parse_shown(await _existing(client, key)).status.is_true(Condition.SUSPENDED)


async def _is_gone(client: KubeClient, gang: GangFact) -> bool:
    """Whether neither the gang nor any of its pods exists.

    The new gang must wait until the pods are gone, because its pods have the same names.
    """
    if await read_gang(client, gang.key) is not None:
        return False
    members = [membership(pod["metadata"]) for pod in await read_members(client, gang.key)]
    return not any(member is not None and member.gang_uid == gang.uid for member in members)


def _as_submitted(manifest: Manifest) -> Manifest:
    metadata = {name: manifest["metadata"][name] for name in _OWN_METADATA if name in manifest["metadata"]}
    return {
        "apiVersion": API_VERSION,
        "kind": GANG_KIND,
        "metadata": metadata,
        "spec": {**manifest["spec"], "suspend": False},
    }


def _check(answer: Answer, otherwise: str) -> None:
    if not answer.is_success:
        raise AnswerError(f"{otherwise}: {answer.message}.")
