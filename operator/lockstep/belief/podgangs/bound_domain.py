"""Where pods go that come later to a Gang whose pods have to be in one domain: to that of the pods on nodes."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import TypeVar

from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role import RoleSpec

# All of them are in one domain, and a few may be lost. A Gang may have pods on thousands.
_NODES_ASKED = 8

Fact = TypeVar("Fact", bound=GangFact)


def in_bound_domain(gang: Fact, group: PodGroup, nodes: Mapping[str, NodeFact]) -> Fact:
    """The Gang with roles that only the nodes of that domain can have; the same Gang where nothing requires one."""
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
