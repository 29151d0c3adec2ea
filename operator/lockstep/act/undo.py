"""Taking back what an attempt made: pods are deleted by UID, so that nothing of anybody else's can be hit."""

from collections.abc import Iterable

from lockstep import paths
from lockstep.act.together import for_each
from lockstep.facts import GangFact, PodFact
from lockstep.failure import Failure
from lockstep.kube import ApiUnavailableError, KubeClient
from lockstep.names import ATTEMPT_LABEL, GANG_LABEL, Reason
from lockstep.watch.parse import parse_pod

_NOT_FOUND = 404
_CONFLICT = 409


async def delete_pods(client: KubeClient, pods: Iterable[PodFact]) -> Failure | None:
    """Delete these pods where nobody does yet; one that is gone, or is another one by now, is no failure."""

    async def delete(pod: PodFact) -> Failure | None:
        answer = await client.delete(paths.pod(pod.key), uid=pod.uid)
        if answer.is_success or answer.code in (_NOT_FOUND, _CONFLICT):
            return None
        message = f"the API server refused to delete pod {pod.key.name}: {answer.message}"
        return Failure(reason=Reason.API_UNAVAILABLE, message=message)

    return await for_each([pod for pod in pods if not pod.is_deleting], delete)


async def list_members(client: KubeClient, gang: GangFact, attempt: int) -> list[PodFact]:
    """The pods of one attempt as the API server has them now.

    A request whose answer was lost may have made one that no watch has shown. Raises ``ApiUnavailableError``.
    """
    selector = f"{GANG_LABEL}={gang.key.name},{ATTEMPT_LABEL}={attempt}"
    answer = await client.get(paths.pods_of(gang.key.namespace), {"labelSelector": selector})
    if not answer.is_success:
        raise ApiUnavailableError(f"the pods of {gang.key.name} can't be listed: {answer.message}")
    pods = (parse_pod(item) for item in answer.body["items"])
    return [pod for pod in pods if pod.member is not None and pod.member.gang_uid == gang.uid]
