"""What is written of claims that wait for their first consumer: where their volume is to be, and that it no longer is.

A claim gets a volume that is there where one suits, as kube-scheduler chooses it, and is else told the node. Every
write is conditional on the version that was looked at, so that what others write meanwhile is never overwritten.
"""

from collections.abc import Iterable

from lockstep.act.requests.api_refusals import is_conflict, refused_claim
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import NeededClaim
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.volume import parse_claim, parse_volume
from lockstep.api.members.claims import promised_to, told_node
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey, VolumeFact
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

_NOT_FOUND = 404
_CONFLICT = 409
# What others write at the same time they do not write for ever.
_MOST_CONFLICTS = 5


class Teller:
    """Tells the claims of one attempt where their volumes are to be."""

    def __init__(self, services: Services, gang: GangFact) -> None:
        self._services = services
        self._client = services.client
        self._state = services.state
        self._gang = gang
        self._told: set[ClaimKey] = set()
        self._chosen: dict[str, ClaimKey] = {}
        self._promised: set[ClaimKey] = set()

    async def tell(self, needed: NeededClaim) -> Failure | None:
        """Promise a volume to the claim, or tell it its node. Whoever was told before and is not any more was refused.

        The claim is looked at first: what a watch shows may be older than what was written here.
        """
        for _ in range(_MOST_CONFLICTS):
            answer = await look_at_claim(self._client, self._state, needed.key)
            claim = self._state.claims.claims.get(needed.key)
            if claim is None or claim.is_bound or claim.volume or claim.selected_node:
                return None
            if needed.key in self._told:
                return self._refused(needed)
            written = await self._promise_or_tell(needed, claim, answer)
            if isinstance(written, Failure):
                return written
            if written.code == _NOT_FOUND:
                return None
            if not is_conflict(written):
                return None if written.is_success else refused_claim(needed.key.name, written)
        message = f"claim {needed.key.name} was changed {_MOST_CONFLICTS} times while it was told its node"
        return Failure(reason=Reason.CLAIM_REFUSED, message=message)

    def has_promised(self, claim: ClaimKey) -> bool:
        """Whether a volume is for that claim by now, so that Kubernetes will bind the two."""
        return claim in self._promised

    def remember(self, nodes: Iterable[str]) -> None:
        """Keep the gang off nodes where it gets no volumes, for a while."""
        self._state.failed_nodes.note_without_volumes(self._gang.uid, nodes, self._services.now())

    async def _promise_or_tell(self, needed: NeededClaim, claim: ClaimFact, looked_at: Answer) -> Answer | Failure:
        volume = self._volume_for(needed, claim)
        if volume is not None:
            return await self._promise(volume, claim)
        kind = self._state.claims.storage.class_of(claim.wish.storage_class)
        if kind is None or not self._state.claims.storage.makes_on(kind, self._state.nodes.index()):
            self.remember([needed.node])
            message = f"no volume that suits claim {needed.key.name} is left for {needed.node}"
            return Failure(reason=Reason.VOLUME_NOT_PROVIDED, message=message)
        version = looked_at.body["metadata"]["resourceVersion"]
        answer = await self._client.patch(paths.claim(needed.key), told_node(version, needed.node))
        if answer.is_success:
            self._state.claims.apply_claim(parse_claim(answer.body))
            self._told.add(needed.key)
        return answer

    def _volume_for(self, needed: NeededClaim, claim: ClaimFact) -> VolumeFact | None:
        """The volume that the claim gets, if there is one, from now on nobody else's of this attempt."""
        claims, nodes = self._state.claims, self._state.nodes.index()
        for volume in claims.provisioning.candidates(claims.seeker_of(claim)):
            is_free = self._chosen.get(volume.name, claim.key) == claim.key
            if is_free and nodes.reaching(volume.affinities) >= set(needed.nodes):
                self._chosen[volume.name] = claim.key
                return volume
        return None

    async def _promise(self, volume: VolumeFact, claim: ClaimFact) -> Answer:
        """Promise a volume that the claim can still have; what somebody else has taken meanwhile is a conflict."""
        answer = await look_at_volume(self._client, self._state, volume.name)
        seeker = self._state.claims.seeker_of(claim)
        if volume.name not in {one.name for one in self._state.claims.provisioning.candidates(seeker)}:
            return answer._replace(code=_CONFLICT)
        version = answer.body["metadata"]["resourceVersion"]
        answer = await self._client.patch(paths.volume(volume.name), promised_to(version, claim))
        if answer.is_success:
            self._state.claims.apply_volume(parse_volume(answer.body))
            self._promised.add(claim.key)
        return answer

    def _refused(self, needed: NeededClaim) -> Failure:
        self.remember([needed.node])
        message = f"the volume of claim {needed.key.name} was refused for {needed.node}"
        return Failure(reason=Reason.VOLUME_NOT_PROVIDED, message=message)


async def look_at_claim(client: KubeClient, state: State, key: ClaimKey) -> Answer:
    """Ask the API server for a claim and the volume that it has, and believe it. Raises ``ApiUnavailableError``."""
    answer = await client.get(paths.claim(key))
    if answer.is_success:
        claim = parse_claim(answer.body)
        state.claims.apply_claim(claim)
        if claim.is_bound and not state.claims.is_usable(claim):
            await look_at_volume(client, state, claim.volume)
    elif answer.code == _NOT_FOUND:
        state.claims.remove_claim(key)
    return answer


async def look_at_volume(client: KubeClient, state: State, name: str) -> Answer:
    """Ask the API server for a volume, and believe it. Raises as above."""
    answer = await client.get(paths.volume(name))
    if answer.is_success:
        state.claims.apply_volume(parse_volume(answer.body))
    elif answer.code == _NOT_FOUND:
        state.claims.remove_volume(name)
    return answer


async def take_back(client: KubeClient, state: State, needed: NeededClaim) -> None:
    """Take its node off a claim that has no volume yet, so that another node can be tried. Raises as above.

    A volume that is made all the same is bound to the claim, and the next plan goes where that is.
    """
    for _ in range(_MOST_CONFLICTS):
        answer = await look_at_claim(client, state, needed.key)
        claim = state.claims.claims.get(needed.key)
        if claim is None or claim.is_bound or claim.volume or claim.selected_node != needed.node:
            return
        version = answer.body["metadata"]["resourceVersion"]
        written = await client.patch(paths.claim(needed.key), told_node(version, None))
        if written.is_success:
            state.claims.apply_claim(parse_claim(written.body))
        if not is_conflict(written):
            return
