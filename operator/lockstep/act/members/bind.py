"""The step of an attempt after all pods and volumes exist: binds every member's pod to its node, by UID."""

from collections.abc import Callable, Collection, Mapping

from lockstep.act.requests.api_refusals import is_conflict, refused_binding
from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.turns import Urgency
from lockstep.api.members.binding import binding_manifest
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.reasons import Reason


class Binder:
    """Binds the members of one attempt. ``count`` is called with each binding's result: bound, refused or error."""

    def __init__(self, client: KubeClient, reservation: Reservation, *, count: Callable[[str], None]) -> None:
        self._client = client
        self._nodes = {member.pod: member.node for member in reservation.by_rank()}
        self._count = count

    async def bind_all(
        self, uids: Mapping[PodKey, str], already: Mapping[PodKey, str], ended: Collection[PodKey] = ()
    ) -> Failure | None:
        """Bind all members except those that ``already`` have a node (key → node) and those that have ``ended``.

        Returns a failure if a member is already on another node than planned, or if a binding failed.
        """
        for key, node in already.items():
            if node != self._nodes[key]:
                message = f"pod {key.name} is on node {node}, not on {self._nodes[key]}"
                return Failure(reason=Reason.BIND_INTERRUPTED, message=message)
        missing = [key for key in self._nodes if key not in already and key not in ended]
        return await for_each(missing, lambda key: self._bind(key, uids[key]))

    async def _bind(self, key: PodKey, uid: str) -> Failure | None:
        node = self._nodes[key]
        try:
            answer = await self._client.create(paths.pod_binding(key), binding_manifest(key, uid, node), Urgency.BIND)
        except ApiUnavailableError:
            self._count("error")
            raise
        if answer.is_success or (is_conflict(answer) and await self._is_bound(key, uid, node)):
            self._count("bound")
            return None
        self._count("refused")
        return refused_binding(key.name, node, answer)

    async def _is_bound(self, key: PodKey, uid: str, node: str) -> bool:
        """Whether the pod is already on that node. The API server answers an equal second binding with a conflict."""
        answer = await self._client.get(paths.pod(key))
        if not answer.is_success:
            return False
        pod = read_pod(answer.body)
        return (pod.uid, pod.node, pod.is_deleting) == (uid, node, False)
