"""Volumes and their users: volumes that members will attach, volumes in use, and claims for a single pod."""

from collections import Counter
from collections.abc import Iterator

from lockstep.api.members.claims import kept_claim
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimKey, CsiVolume, Sharing
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.role import RoleSpec
from lockstep.snapshot.affinity.affinity import Bar

_ONCE = "ReadWriteOncePod"


def by_claims_in_use(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """A bar of all nodes for each shared claim that only one pod may use, and that another pod uses."""
    for key in sorted(_shared_claims(gang, role)):
        claim = state.claims.claims.get(key)
        if claim is not None and _ONCE in claim.request.modes and _is_used_by_others(state, key, gang):
            yield f"closed to it while another pod uses claim {key.name}", state.nodes.index().all


def by_attach_limits(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """The nodes whose drivers can't attach the volumes that all members of the role share."""
    wanted = shared_volumes(state, gang, role)
    if wanted:
        for driver, nodes in sorted(state.attachments.full(wanted, but=gang.key).items()):
            yield f"where {driver} can attach no more volumes", nodes


def shared_volumes(state: State, gang: GangFact, role: RoleSpec) -> frozenset[CsiVolume]:
    """The volumes that all members of the role share, as CSI drivers identify them."""
    return frozenset(state.claims.csi_volumes(_shared_claims(gang, role)))


def own_volumes(state: State, gang: GangFact, role: RoleSpec) -> Counter[str]:
    """The number of volumes that each member has for itself, by driver. The volumes of rank 0 are counted."""
    return Counter(volume.driver for volume in _of_first_rank(state, gang, role))


def _of_first_rank(state: State, gang: GangFact, role: RoleSpec) -> Iterator[CsiVolume]:
    for use in role.claims:
        key = ClaimKey(gang.key.namespace, kept_claim(use.claim, gang.key.name, 0))
        if use.sharing is Sharing.KEPT and key in state.claims.claims:
            yield from state.claims.csi_volumes((key,))
        elif use.request is not None:
            yield from state.claims.csi_volume_to_be(key, use.request)


def _is_used_by_others(state: State, claim: ClaimKey, gang: GangFact) -> bool:
    pods = state.counts.pods_nearby.users(claim)
    if any(pod.member is None or pod.member.gang_uid != gang.uid for pod in pods):
        return True
    return any(other != gang.key for other in state.counts.holders.claims.users(claim))


def _shared_claims(gang: GangFact, role: RoleSpec) -> set[ClaimKey]:
    return {ClaimKey(gang.key.namespace, use.claim) for use in role.claims if use.sharing is Sharing.SHARED}
