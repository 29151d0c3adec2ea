"""The domain of a Gang's bound pods: if all pods must be in one domain, later pods have to go there, too."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role import RoleSpec

# How many nodes of the Gang are read. All of its nodes are in one domain, but a few may be lost, and there may be
# thousands.
_NODES_ASKED = 8

Fact = TypeVar("Fact", bound=GangFact)


def in_bound_domain(gang: Fact, group: PodGroup, nodes: Mapping[str, NodeFact]) -> Fact:
    """The Gang with roles that fit only on nodes of its bound pods' domain.

    Unchanged if the Gang requires no domain, has no bound pods, or the domain of these pods is unknown.
    """
    if not isinstance(gang, AcceptedGang) or not gang.spec.all_in or not gang.spec.has_bound_pods:
        return gang
    label = gang.spec.all_in
    known = (nodes[name].labels.get(label) for name in islice(group.nodes, _NODES_ASKED) if name in nodes)
    domain = next((one for one in known if one is not None), None)
    if domain is None:
        return gang
    roles = tuple(_within(role, (label, domain)) for role in gang.spec.roles)
    return replace(gang, spec=replace(gang.spec, roles=roles))


def _within(role: RoleSpec, entry: tuple[str, str]) -> RoleSpec:
    # Pods that select another domain keep their own entry, and fit on no node.
    selector = tuple(sorted({*role.constraints.node_selector, entry}))
    return replace(role, constraints=replace(role.constraints, node_selector=selector))
