"""Step 2 of an attempt: create every member's pod, unbound."""

from lockstep import paths
from lockstep.act.member_pod import MemberPods
from lockstep.act.refusals import is_conflict, refused_pod
from lockstep.act.together import for_each
from lockstep.facts import GangFact, PodKey
from lockstep.failure import Failure
from lockstep.kube import KubeClient
from lockstep.state import Reservation
from lockstep.watch.parse import parse_pod


class Creator:
    """Creates the members of one attempt.

    ``uids`` says which pods are known to be there, made now or by an earlier try.
    """

    def __init__(self, client: KubeClient, gang: GangFact, reservation: Reservation) -> None:
        self._client = client
        self._gang = gang
        self._keys = list(reservation.pod_keys())
        self._pods = MemberPods(gang, reservation)
        self.uids: dict[PodKey, str] = {}

    async def create_missing(self, already: dict[PodKey, str]) -> Failure | None:
        """Create all members but those that are ``already`` there (key → UID)."""
        self.uids.update(already)
        missing = [rank for rank, key in enumerate(self._keys) if key not in self.uids]
        return await for_each(missing, self._create)

    async def _create(self, rank: int) -> Failure | None:
        key = self._keys[rank]
        answer = await self._client.create(paths.pods_of(key.namespace), self._pods.pod(rank))
        if answer.is_success:
            self.uids[key] = answer.body["metadata"]["uid"]
            return None
        if is_conflict(answer):
            return await self._take_over(key)
        return refused_pod(key.name, answer)

    async def _take_over(self, key: PodKey) -> Failure | None:
        """A pod of that name is there: ours if an earlier try, or an earlier process, made it for this very attempt."""
        answer = await self._client.get(paths.pod(key))
        if not answer.is_success:
            return refused_pod(key.name, answer)
        pod = parse_pod(answer.body)
        if pod.member is None or pod.member.gang_uid != self._gang.uid or pod.is_deleting:
            message = "a pod of that name that is not this gang's, or is being deleted, is in the way"
            return refused_pod(key.name, answer._replace(body={"message": message}))
        self.uids[key] = pod.uid
        return None
