"""Who uses which volumes: what members will attach, what others have, and which claims only one pod may use."""

from collections import Counter
from collections.abc import Iterator

from lockstep.api.claims import claim_of, kept_claim
from lockstep.belief.node_index import Names
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.volume import ClaimKey, CsiVolume, Sharing

Bar = tuple[str, Names]

_ONCE = "ReadWriteOncePod"


def by_claims_in_use(state: State, gang: GangFact) -> Iterator[Bar]:
    """Every node, as long as somebody else uses a claim that only one pod may use."""
    for key in sorted(_shared_claims(gang)):
        claim = state.claims.claims.get(key)
        if claim is not None and _ONCE in claim.wish.modes and _is_used_by_others(state, key, gang):
            yield f"closed to it while another pod uses claim {key.name}", frozenset(state.nodes)


def by_attach_limits(state: State, gang: GangFact) -> Iterator[Bar]:
    """The nodes whose drivers can't attach the volumes that all members share."""
    wanted = frozenset(state.claims.csi_volumes(_shared_claims(gang)))
    if wanted:
        for driver, nodes in sorted(state.attachments.full(wanted, _about_to_be_attached(state, gang)).items()):
            yield f"where {driver} can attach no more volumes", frozenset(nodes)


def most_by_attach_limits(state: State, gang: GangFact) -> dict[str, int]:
    """For how many members nodes can attach the volumes that each has of its own; others can for all."""
    assert gang.spec is not None, "a refused gang is not planned"
    own = Counter(volume.driver for volume in _own_volumes(state, gang))
    if not own:
        return {}
    shared = frozenset(state.claims.csi_volumes(_shared_claims(gang)))
    held = _about_to_be_attached(state, gang)
    return state.attachments.most(own, shared, held, members=gang.spec.maximum)


def _own_volumes(state: State, gang: GangFact) -> Iterator[CsiVolume]:
    """What the member of the first rank has of its own: those of the others are of the same drivers."""
    for use in gang.spec.claims if gang.spec else ():
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
    uses, reservation = gang.spec.claims if gang.spec else (), state.reservations[gang.key]
    if uses:
        members = zip(reservation.nodes_by_rank(), reservation.pod_keys(), strict=True)
        for rank, (node, pod) in enumerate(members):
            yield from ((node, claim_of(use, pod, gang.key.name, rank)) for use in uses)


def _is_used_by_others(state: State, claim: ClaimKey, gang: GangFact) -> bool:
    pods = state.neighbours.users(claim)
    if any(pod.member is None or pod.member.gang_uid != gang.uid for pod in pods):
        return True
    return any(claim in _shared_claims(other) for other in _others_that_reserved(state, gang))


def _others_that_reserved(state: State, gang: GangFact) -> Iterator[GangFact]:
    return (state.gangs[key] for key in state.reservations if key != gang.key and key in state.gangs)


def _shared_claims(gang: GangFact) -> set[ClaimKey]:
    uses = gang.spec.claims if gang.spec else ()
    return {ClaimKey(gang.key.namespace, use.claim) for use in uses if use.sharing is Sharing.SHARED}
