"""What a gang's members demand of a node besides resources: by their template, and by what is around them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from coschedule import Constraints
from lockstep.belief.affinity import Bar, bars
from lockstep.belief.kinds import Kind, kind_of
from lockstep.belief.near_pods import kept_away_by_reserved, own_pods
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.role import RoleSpec
from lockstep.facts.volume import ClaimKey, CsiVolume

_ONCE = "ReadWriteOncePod"


def constraints_of(state: State, gang: GangFact, role: RoleSpec) -> Constraints:
    """The constraints under which the members of one role are planned now."""
    constraints = state.claims.constraints(gang.key, role)
    barred = (
        *_by_pods(state, gang, role),
        *_by_claims_in_use(state, gang, role),
        *_by_attach_limits(state, gang, role),
    )
    return replace(constraints, barred=barred) if barred else constraints


def taken_in_front(state: State, priority: int | None) -> Counter[tuple[str, str]]:
    """What pods for which room is made are about to take, those that are as urgent at least: by node and resource."""
    amounts: Counter[tuple[str, str]] = Counter()
    for pod in state.neighbours.nominated.values():
        if priority is None or pod.priority >= priority:
            amounts.update({(pod.nominated, name): amount for name, amount in pod.request})
    return amounts


def _by_pods(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """The nodes that are barred for the pods around them, where either side requires anything of the other."""
    assert gang.spec is not None, "a refused gang is not planned"
    minded = state.keep_others_away or state.neighbours.keeping_away.concerns(gang.key.namespace)
    if not minded and not gang.spec.minds_pods:
        return
    kind = kind_of(state, gang, role)
    kept_away = ("near a pod whose anti-affinity keeps it away", _keeping_away(state, gang, kind))
    for phrase, names in [kept_away, *bars(state, gang, kind)]:
        if names:
            yield phrase, names


def _keeping_away(state: State, gang: GangFact, kind: Kind) -> frozenset[str]:
    """The nodes near pods that want no such member near them."""
    keeping_away, labels_of_namespace = state.neighbours.keeping_away, state.namespaces.get(kind.namespace, {})
    names = keeping_away.names(
        kind.labels, kind.namespace, labels_of_namespace, state.nodes, state.nodes_generation, own_pods(state, gang)
    )
    reserved = kept_away_by_reserved(state, gang, kind)
    return names | reserved if reserved else names


def _by_claims_in_use(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """Every node, as long as somebody else uses a claim that only one pod may use."""
    for use in role.claims:
        key = ClaimKey(gang.key.namespace, use.claim)
        claim = state.claims.claims.get(key)
        if claim is not None and _ONCE in claim.modes and _is_used_by_others(state, key, gang):
            yield f"closed to it while another pod uses claim {key.name}", frozenset(state.nodes)


def _by_attach_limits(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """The nodes whose drivers can't attach the volumes of the role's claims, which its members share."""
    wanted = frozenset(state.claims.csi_volumes(_claims_of_role(gang, role)))
    if wanted:
        for driver, nodes in sorted(state.attachments.full(wanted, _about_to_be_attached(state, gang)).items()):
            yield f"where {driver} can attach no more volumes", frozenset(nodes)


def _about_to_be_attached(state: State, gang: GangFact) -> dict[str, frozenset[CsiVolume]]:
    """The volumes of the other gangs that have reserved, whose pods may not be there yet, by node."""
    held: dict[str, frozenset[CsiVolume]] = {}
    for other in _others_that_reserved(state, gang):
        volumes = frozenset(state.claims.csi_volumes(_claims_of(other)))
        for entry in state.reservations[other.key].members if volumes else ():
            held[entry.node] = held.get(entry.node, frozenset()) | volumes
    return held


def _is_used_by_others(state: State, claim: ClaimKey, gang: GangFact) -> bool:
    pods = state.neighbours.users(claim)
    if any(pod.member is None or pod.member.gang_uid != gang.uid for pod in pods):
        return True
    return any(claim in _claims_of(other) for other in _others_that_reserved(state, gang))


def _others_that_reserved(state: State, gang: GangFact) -> Iterator[GangFact]:
    return (state.gangs[key] for key in state.reservations if key != gang.key and key in state.gangs)


def _claims_of(gang: GangFact) -> set[ClaimKey]:
    roles = gang.spec.roles if gang.spec else ()
    return {claim for role in roles for claim in _claims_of_role(gang, role)}


def _claims_of_role(gang: GangFact, role: RoleSpec) -> set[ClaimKey]:
    return {ClaimKey(gang.key.namespace, use.claim) for use in role.claims}
