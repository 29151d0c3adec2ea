"""Who uses which volumes: what members will attach, what others have, and which claims only one pod may use."""

from collections import Counter
from collections.abc import Iterable, Iterator

from lockstep.api.claims import claim_of, kept_claim
from lockstep.belief.affinity import Bar
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.role import RoleSpec
from lockstep.facts.volume import ClaimKey, ClaimUse, CsiVolume, Sharing

_ONCE = "ReadWriteOncePod"


def by_claims_in_use(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """Every node, as long as somebody else uses a claim that only one pod may use."""
    for key in sorted(_shared_claims(gang, (role,))):
        claim = state.claims.claims.get(key)
        if claim is not None and _ONCE in claim.wish.modes and _is_used_by_others(state, key, gang):
            yield f"closed to it while another pod uses claim {key.name}", frozenset(state.nodes)


def by_attach_limits(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """The nodes whose drivers can't attach the volumes that all members of the role share."""
    wanted = frozenset(state.claims.csi_volumes(_shared_claims(gang, (role,))))
    if wanted:
        for driver, nodes in sorted(state.attachments.full(wanted, _about_to_be_attached(state, gang)).items()):
            yield f"where {driver} can attach no more volumes", frozenset(nodes)


def most_by_attach_limits(state: State, gang: GangFact, role: RoleSpec) -> dict[str, int]:
    """For how many members nodes can attach the volumes that each has of its own; others can for all."""
    own = Counter(volume.driver for volume in _own_volumes(state, gang, role))
    if not own:
        return {}
    shared = frozenset(state.claims.csi_volumes(_shared_claims(gang, (role,))))
    held = _about_to_be_attached(state, gang)
    return state.attachments.most(own, shared, held, members=role.sizes.maximum)


def _own_volumes(state: State, gang: GangFact, role: RoleSpec) -> Iterator[CsiVolume]:
    """What the member of the first rank has of its own: those of the others are of the same drivers."""
    for use in role.claims:
        key = ClaimKey(gang.key.namespace, kept_claim(use.claim, gang.key.name, 0))
        if use.sharing is Sharing.KEPT and key in state.claims.claims:
            yield from state.claims.csi_volumes((key,))
        elif use.wish is not None:
            yield from state.claims.csi_volume_to_be(key, use.wish)


def _about_to_be_attached(state: State, gang: GangFact) -> dict[str, frozenset[CsiVolume]]:
    """The volumes of the other gangs that have reserved, whose pods may not be there yet, by node."""
    held: dict[str, set[CsiVolume]] = {}
    for other in _others_that_reserved(state, gang):
        for node, key in _claims_by_node(state, other):
            held.setdefault(node, set()).update(state.claims.csi_volumes((key,)))
    return {node: frozenset(volumes) for node, volumes in held.items() if volumes}


def _claims_by_node(state: State, gang: GangFact) -> Iterator[tuple[str, ClaimKey]]:
    """The claims that the members of a gang that has reserved use, with their nodes."""
    uses, reservation = uses_by_role(gang), state.reservations[gang.key]
    if any(uses.values()):
        members = zip(reservation.nodes_by_rank(), reservation.pod_keys(), reservation.roles_by_rank(), strict=True)
        for rank, (node, pod, role) in enumerate(members):
            yield from ((node, claim_of(use, pod, gang.key.name, rank)) for use in uses[role])


def uses_by_role(gang: GangFact) -> dict[str, tuple[ClaimUse, ...]]:
    """Which claims the members of each role use."""
    return {role.name: role.claims for role in gang.spec.roles} if gang.spec else {}


def _is_used_by_others(state: State, claim: ClaimKey, gang: GangFact) -> bool:
    pods = state.neighbours.users(claim)
    if any(pod.member is None or pod.member.gang_uid != gang.uid for pod in pods):
        return True
    others = _others_that_reserved(state, gang)
    return any(claim in _shared_claims(other, other.spec.roles if other.spec else ()) for other in others)


def _others_that_reserved(state: State, gang: GangFact) -> Iterator[GangFact]:
    return (state.gangs[key] for key in state.reservations if key != gang.key and key in state.gangs)


def _shared_claims(gang: GangFact, roles: Iterable[RoleSpec]) -> set[ClaimKey]:
    uses = (use for role in roles for use in role.claims)
    return {ClaimKey(gang.key.namespace, use.claim) for use in uses if use.sharing is Sharing.SHARED}
