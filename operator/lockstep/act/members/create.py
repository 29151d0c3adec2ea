"""The step of an attempt after all claims exist: creates every member's pod, unbound."""

import asyncio
from collections.abc import Collection

from lockstep.act.admission.admission import Admission, unrecognized
from lockstep.act.members.remaining_pods import kept_by
from lockstep.act.requests.api_refusals import is_conflict, refused_pod, refused_template
from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.members.member_pod import MemberPods
from lockstep.api.unreadable.unreadable_objects import read_pod
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, Refusal, Verdict
from lockstep.facts.gang.role import Needs
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodFact, PodKey
from lockstep.facts.reasons import Reason
from lockstep.report.text.admission import in_words

# Many simultaneous creates conflict over the quota that counts the pods. The API server then answers as if the name
# were taken. So the operator tries again after these pauses.
_PAUSES_SECONDS = (0.1, 0.2, 0.4, 0.8)
_NOTHING_IN_THE_WAY = Failure(reason=Reason.POD_REFUSED, message="the pod conflicts with none that is there")


class Creator:
    """Creates the members of one attempt.

    ``uids`` has the UIDs of the pods that exist, created now or earlier. ``verdict`` is set if the gang must be planned
    again or refused, because admission has changed or refused its members. ``unowned`` are created pods that are
    in no list of the attempt's pods, because admission has changed them.
    """

    def __init__(self, client: KubeClient, gang: AcceptedGang, reservation: Reservation) -> None:
        self._client = client
        self._gang = gang
        self._keys = list(reservation.pod_keys())
        self._roles = [member.role for member in reservation.by_rank()]
        self._pods = MemberPods(gang, reservation.attempt, reservation.members, reservation.ranks)
        self._planned = {role.name: role.needs for role in gang.spec.roles}
        self._admissions = {role.name: Admission(role) for role in gang.spec.roles}
        self.uids: dict[PodKey, str] = {}
        self.unowned: list[PodFact] = []
        self.verdict: Verdict | None = None
        self._refused_position = len(self._keys)

    @property
    def observed(self) -> dict[str, Needs]:
        """The needs of each role's members as admission changed them, for members whose creation was answered."""
        observed = {name: admission.observed for name, admission in self._admissions.items()}
        return {name: needs for name, needs in observed.items() if isinstance(needs, Needs)}

    async def create_missing(self, already: dict[PodKey, str], unbound: Collection[PodKey] = ()) -> Failure | None:
        """Create all members except those that exist ``already`` (key → UID), then compare them with the plan.

        ``unbound`` are existing members without a node: they show how admission changed their roles. Returns why that
        failed, or None.
        """
        self.uids.update(already)
        missing = [position for position, key in enumerate(self._keys) if key not in self.uids]
        failure = await for_each(missing, self._create)
        return await self._compare(unbound) if failure is None else failure

    async def _compare(self, unbound: Collection[PodKey]) -> Failure | None:
        """Compare the members with the plan.

        Returns a failure if admission changed them: they might not fit their nodes.
        """
        for role, admission in self._admissions.items():
            ranks = zip(self._keys, self._roles, strict=True)
            one = next((key for key, name in ranks if name == role and key in unbound and self._is_whole(key)), None)
            if admission.observed is None and one is not None:
                await self._read_admitted(one, admission)
        self.verdict = self._verdict()
        if self.verdict is None:
            return None
        if isinstance(self.verdict, Refusal):
            return Failure(reason=Reason.CHANGED_BY_ADMISSION, message=self.verdict.message.rstrip("."))
        words = in_words({name: (self._planned[name], needs) for name, needs in self.verdict.items()})
        return Failure(reason=Reason.CHANGED_BY_ADMISSION, message=f"admission has changed the members: {words}")

    async def _read_admitted(self, pod: PodKey, admission: Admission) -> None:
        """Read one member of a role whose members existed before a restart: it shows how admission changed the role."""
        answer = await self._client.get(paths.pod(pod))
        spec = answer.body.get("spec") if answer.is_success else None
        if spec and not spec.get("nodeName"):
            admission.observe(spec)

    def _verdict(self) -> Verdict | None:
        """The needs with which the gang must be planned, or a refusal; None if its members are as planned."""
        changed: dict[str, Needs] = {}
        for role, admission in self._admissions.items():
            verdict = admission.verdict()
            if isinstance(verdict, Refusal):
                return verdict
            if verdict is not None:
                changed[role] = verdict
        return changed or None

    async def _create(self, position: int) -> Failure | None:
        for seconds in _PAUSES_SECONDS:
            failure = await self._try_to_create(position)
            if failure is not _NOTHING_IN_THE_WAY:
                return failure
            await asyncio.sleep(seconds)
        name, times = self._keys[position].name, len(_PAUSES_SECONDS)
        message = f"the API server said {times} times that pod {name} conflicts with another"
        return Failure(reason=Reason.POD_REFUSED, message=message)

    async def _try_to_create(self, position: int) -> Failure | None:
        key = self._keys[position]
        pod = self._pods.pod(position)
        answer = await self._client.create(paths.pods_of(key.namespace), pod)
        if answer.is_success and "metadata" in answer.body:
            refusal = unrecognized(pod["metadata"], answer.body["metadata"])
            if refusal is not None:
                self.unowned.append(read_pod(answer.body))
                self._keep_refusal(position, refusal)
                return Failure(reason=Reason.TEMPLATE_REFUSED, message=refusal.message.rstrip("."))
            self.uids[key] = answer.body["metadata"]["uid"]
            if self._is_whole(key):
                self._admissions[self._roles[position]].observe(answer.body["spec"])
            return None
        if answer.is_success or is_conflict(answer):
            return await self._take_over(position)
        self._keep_refusal(position, refused_template(answer))
        return refused_pod(key.name, answer)

    def _is_whole(self, key: PodKey) -> bool:
        """Whether the member has everything that its template has, so that it shows how admission changed the template.

        If the gang has a dealer, its template contains the dealer, but only the first member gets it.
        """
        return self._gang.spec.dealing is None or key == self._keys[0]

    def _keep_refusal(self, position: int, refusal: Refusal | None) -> None:
        """Keep the refusal of the lowest rank, whatever the order of answers. Dry runs also check the lowest rank."""
        if refusal is not None and position < self._refused_position:
            self._refused_position, self.verdict = position, refusal

    async def _take_over(self, position: int) -> Failure | None:
        """Use an existing pod of that name if it belongs to this gang: an earlier request may have created it."""
        key = self._keys[position]
        answer = await self._client.get(paths.pod(key))
        if answer.is_absence:
            return _NOTHING_IN_THE_WAY
        if not answer.is_success:
            return refused_pod(key.name, answer)
        pod = read_pod(answer.body)
        if pod.member is None or pod.member.gang_uid != self._gang.uid or pod.is_deleting:
            message = f"a pod of this name exists that does not belong to this gang, or is being deleted{kept_by(pod)}"
            return refused_pod(key.name, answer._replace(body={"message": message}))
        self.uids[key] = pod.uid
        if not pod.node and self._is_whole(key):
            self._admissions[self._roles[position]].observe(answer.body["spec"])
        return None
