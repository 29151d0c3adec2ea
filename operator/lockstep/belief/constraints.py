"""What a gang's members demand of a node besides resources: by their template, and by what is around them."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from coschedule import Constraints
from lockstep.api.membership import member_labels
from lockstep.api.names import RANK_LABEL
from lockstep.belief.state import State
from lockstep.belief.volume_demand import demand_of
from lockstep.facts.gang import GangFact
from lockstep.facts.role import RoleSpec

Bar = tuple[str, frozenset[str]]


def constraints_of(state: State, gang: GangFact, role: RoleSpec) -> Constraints:
    """The constraints under which the members of one role are planned now."""
    constraints = state.claims.constraints(gang.key, role)
    barred = (*_by_anti_affinity(state, gang, role), *demand_of(state, gang, role).barred)
    return replace(constraints, barred=barred) if barred else constraints


def taken_in_front(state: State, priority: int | None) -> Counter[tuple[str, str]]:
    """What pods for which room is made are about to take, those that are as urgent at least: by node and resource."""
    amounts: Counter[tuple[str, str]] = Counter()
    for pod in state.neighbours.nominated.values():
        if priority is None or pod.priority >= priority:
            amounts.update({(pod.nominated, name): amount for name, amount in pod.request})
    return amounts


def _by_anti_affinity(state: State, gang: GangFact, role: RoleSpec) -> Iterator[Bar]:
    """The nodes near pods that want no such member near them."""
    namespace, keeping_away = gang.key.namespace, state.neighbours.keeping_away
    if not keeping_away.concerns(namespace):
        return
    # Whoever keeps single ranks away is rare: what holds for the first holds for all.
    labels = {**member_labels(gang.key, role, gang.status.attempt + 1), RANK_LABEL: "0"}
    labels_of_namespace = state.namespaces.get(namespace, {})
    names = keeping_away.names(labels, namespace, labels_of_namespace, state.nodes, state.nodes_generation)
    if names:
        yield "near a pod whose anti-affinity keeps it away", names
