"""Writes to claims that wait for their first consumer: sets their volume or node, or removes the node.

A claim gets an existing volume if one suits, chosen as kube-scheduler does. Otherwise it gets a selected node. Every
write depends on the version that was read, so that no other write is overwritten.
"""

from collections.abc import Iterable
from http import HTTPStatus

from lockstep.act.requests.api_refusals import is_conflict, refused_claim
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import NeededClaim
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, exists
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.volume import parse_claim, parse_volume
from lockstep.api.members.claims import reservation_patch, selected_node_patch
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey, VolumeFact
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

# After a conflict, a newer version of the claim is read. More conflicts than this are no coincidence.
_MOST_CONFLICTS = 5


class ClaimWriter:
    """Sets the volume or the node of the claims of one attempt."""

    def __init__(self, services: Services, gang: GangFact) -> None:
        self._services = services
        self._client = services.client
        self._state = services.state
        self._gang = gang
        self._with_node: set[ClaimKey] = set()
        self._chosen: dict[str, ClaimKey] = {}
        self._reserved: set[ClaimKey] = set()

    async def write(self, needed: NeededClaim) -> Failure | None:
        """Reserve a volume for the claim, or set its selected node. Returns why that failed, or None.

        If the node was set here before and is now removed, the provisioner has refused it. The claim is read first,
        because the cache may be older than the last write from here.
        """
        for _ in range(_MOST_CONFLICTS):
            answer = await refresh_claim(self._client, self._state, needed.key)
            claim = self._state.claims.claims.get(needed.key)
            if claim is None or claim.is_bound or claim.volume or claim.selected_node:
                return None
            if needed.key in self._with_node:
                return self._refused(needed)
            written = await self._reserve_or_select_node(needed, claim, answer)
            if isinstance(written, Failure):
                return written
            if written.is_absence:
                return None
            if not is_conflict(written):
                return None if written.is_success else refused_claim(needed.key.name, written)
        message = f"claim {needed.key.name} was changed {_MOST_CONFLICTS} times before Lockstep could write to it"
        return Failure(reason=Reason.CLAIM_REFUSED, message=message)

    def has_reserved(self, claim: ClaimKey) -> bool:
        """Whether a volume is reserved for that claim, so that Kubernetes will bind them to each other."""
        return claim in self._reserved

    def avoid(self, nodes: Iterable[str]) -> None:
        """Keep the gang off these nodes for a while, because it got no volumes there."""
        self._state.failed_nodes.record_without_volumes(self._gang.uid, nodes, self._services.now())

    async def _reserve_or_select_node(self, needed: NeededClaim, claim: ClaimFact, read: Answer) -> Answer | Failure:
        volume = self._volume_for(needed, claim)
        if volume is not None:
            return await self._reserve(volume, claim)
        kind = self._state.claims.storage.class_of(claim.request.storage_class)
        if kind is None or not self._state.claims.storage.makes_on(kind, self._state.nodes.index()):
            self.avoid([needed.node])
            message = f"claim {needed.key.name} has no suitable free volume on {needed.node}"
            return Failure(reason=Reason.VOLUME_NOT_PROVIDED, message=message)
        version = read.body["metadata"]["resourceVersion"]
        answer = await self._client.patch(paths.claim(needed.key), selected_node_patch(version, needed.node))
        if answer.is_success:
            self._state.claims.apply_claim(parse_claim(answer.body))
            self._with_node.add(needed.key)
        return answer

    def _volume_for(self, needed: NeededClaim, claim: ClaimFact) -> VolumeFact | None:
        """The volume that the claim gets, if any. From now on no other claim of this attempt gets it."""
        claims, nodes = self._state.claims, self._state.nodes.index()
        for volume in claims.provisioning.candidates(claims.seeker_of(claim)):
            is_free = self._chosen.get(volume.name, claim.key) == claim.key
            if is_free and nodes.reaching(volume.affinities) >= set(needed.nodes):
                self._chosen[volume.name] = claim.key
                return volume
        return None

    async def _reserve(self, volume: VolumeFact, claim: ClaimFact) -> Answer:
        """Reserve the volume for the claim.

        If another claim has taken the volume meanwhile, the answer is a conflict.
        """
        answer = await refresh_volume(self._client, self._state, volume.name)
        seeker = self._state.claims.seeker_of(claim)
        if volume.name not in {one.name for one in self._state.claims.provisioning.candidates(seeker)}:
            return answer._replace(code=HTTPStatus.CONFLICT)
        version = answer.body["metadata"]["resourceVersion"]
        answer = await self._client.patch(paths.volume(volume.name), reservation_patch(version, claim))
        if answer.is_success:
            self._state.claims.apply_volume(parse_volume(answer.body))
            self._reserved.add(claim.key)
        return answer

    def _refused(self, needed: NeededClaim) -> Failure:
        self.avoid([needed.node])
        message = f"the provisioner could not create the volume of claim {needed.key.name} on {needed.node}"
        return Failure(reason=Reason.VOLUME_NOT_PROVIDED, message=message)


async def refresh_claim(client: KubeClient, state: State, key: ClaimKey) -> Answer:
    """Read a claim and its volume from the API server into the cache. Raises ``ApiUnavailableError``."""
    answer = await client.get(paths.claim(key))
    if exists(answer, f"claim {key.name}"):
        claim = parse_claim(answer.body)
        state.claims.apply_claim(claim)
        if claim.is_bound and not state.claims.is_usable(claim):
            await refresh_volume(client, state, claim.volume)
    else:
        state.claims.remove_claim(key)
    return answer


async def refresh_volume(client: KubeClient, state: State, name: str) -> Answer:
    """Read a volume from the API server into the cache. Raises ``ApiUnavailableError``."""
    answer = await client.get(paths.volume(name))
    if exists(answer, f"volume {name}"):
        state.claims.apply_volume(parse_volume(answer.body))
    else:
        state.claims.remove_volume(name)
    return answer


async def release_claim(client: KubeClient, state: State, needed: NeededClaim) -> None:
    """Remove the node from a claim without a volume, so that another node can be tried.

    Raises ``ApiUnavailableError``. A provisioner may still create the volume. Then Kubernetes binds the volume to the
    claim, and the next plan uses nodes that reach the volume.
    """
    for _ in range(_MOST_CONFLICTS):
        answer = await refresh_claim(client, state, needed.key)
        claim = state.claims.claims.get(needed.key)
        if claim is None or claim.is_bound or claim.volume or claim.selected_node != needed.node:
            return
        version = answer.body["metadata"]["resourceVersion"]
        written = await client.patch(paths.claim(needed.key), selected_node_patch(version, None))
        if written.is_success:
            state.claims.apply_claim(parse_claim(written.body))
        if not is_conflict(written):
            return
