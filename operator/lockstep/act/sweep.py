"""Pods that no gang stands for: their GangJob is gone, or has gone on to another attempt."""

from collections.abc import Iterable

from lockstep import paths
from lockstep.act.undo import delete_pods
from lockstep.facts import PodFact
from lockstep.kube import ApiUnavailableError, KubeClient


async def sweep_orphans(client: KubeClient, orphans: Iterable[PodFact]) -> None:
    """Delete the members of gangs that the API server does not have (any more): a watch of ours may only be late.

    Kubernetes' own garbage collector does so too, later, where it runs. What can't be reached now is left for the next
    sweep.
    """
    by_gang: dict[str, list[PodFact]] = {}
    for pod in orphans:
        assert pod.member is not None, "an orphan is a member"
        by_gang.setdefault(pod.member.gang_uid, []).append(pod)
    for pods in by_gang.values():
        if not await _is_there(client, pods[0]):
            await delete_pods(client, pods)


async def _is_there(client: KubeClient, pod: PodFact) -> bool:
    assert pod.member is not None, "an orphan is a member"
    try:
        answer = await client.get(paths.gang(pod.member.gang))
    except ApiUnavailableError:
        return True
    if not answer.is_success:
        return answer.code != 404
    metadata = answer.body["metadata"]
    return metadata["uid"] == pod.member.gang_uid and "deletionTimestamp" not in metadata
