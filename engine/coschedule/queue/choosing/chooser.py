"""Which way of choosing suits a gang."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.candidates import Consider
from coschedule.queue.choosing.by_roles import RolesChooser
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.choosing.one_domain import OneDomainChooser
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.demand import demand_of
from coschedule.queue.effort import Effort
from coschedule.queue.gangs import PendingGang
from coschedule.queue.packing.ground import Level
from coschedule.queue.packing.rules import roles_of_term
from coschedule.queue.refusals import TooManyCombinations, TopologiesCross
from coschedule.queue.roles.party import MOST_CELLS, party_of
from coschedule.queue.terms import Term, TermKind
from coschedule.queue.topology import Topology, are_single_nodes, is_within


def chooser_of(
    gang: PendingGang, feasibility: Feasibility, topology: Topology, consider: Consider, effort: Effort
) -> Chooser | TopologiesCross | TooManyCombinations:
    """Find the way to choose for a gang, or say why there is none."""
    if not gang.terms and len(gang.roles) == 1:
        return PlainChooser(demand=demand_of(gang, feasibility.mask(gang.roles[0].constraints), consider, effort))
    keys = keys_of_all(gang)
    passes = np.stack([feasibility.mask(role.constraints) for role in gang.roles], axis=1)
    inner = _within_a_domain(gang, passes, topology, consider, effort)
    if not keys or isinstance(inner, TopologiesCross | TooManyCombinations):
        return inner
    return OneDomainChooser(inner=inner, domain=topology.common_domains(keys))


def keys_of_all(gang: PendingGang) -> tuple[str, ...]:
    """List the labels of which all members share one value."""
    return tuple(sorted({term.topology_key for term in gang.terms if _is_of_all(term, gang)}))


def _is_of_all(term: Term, gang: PendingGang) -> bool:
    return term.kind is TermKind.TOGETHER and term.is_mutual and len(term.roles) == len(gang.roles)


def _within_a_domain(
    gang: PendingGang, passes: BoolArray, topology: Topology, consider: Consider, effort: Effort
) -> PlainChooser | RolesChooser | TopologiesCross | TooManyCombinations:
    terms = [term for term in gang.terms if not _is_of_all(term, gang)]
    domains = {
        key: np.where(passes.any(axis=1), topology.domains(key), -1) for key in {term.topology_key for term in terms}
    }
    if len(gang.roles) == 1 and _are_one_a_node(passes[:, 0], domains):
        return PlainChooser(demand=demand_of(gang, passes[:, 0], consider, effort, per_node=1 if terms else None))
    levels = _levels(gang, terms, domains)
    if isinstance(levels, TopologiesCross):
        return levels
    party = party_of(gang)
    if party.cells > MOST_CELLS:
        return TooManyCombinations(combinations=party.cells, most=MOST_CELLS)
    return RolesChooser(party=party, passes=passes, levels=levels, consider=consider, effort=effort)


def _are_one_a_node(passes: BoolArray, domains: dict[str, IntArray]) -> bool:
    """Tell whether terms of one role, which keep its members apart, mean one a node, and on all nodes."""
    return all(are_single_nodes(domain) and (domain[passes] >= 0).all() for domain in domains.values())


def _levels(
    gang: PendingGang, terms: Sequence[Term], domains: dict[str, IntArray]
) -> tuple[Level, ...] | TopologiesCross:
    """Put labels in order, the coarsest first; domains of single nodes need no number."""
    names = [role.name for role in gang.roles]
    by_key = {
        key: tuple(roles_of_term(term, names) for term in terms if term.topology_key == key) for key in sorted(domains)
    }
    single = [key for key in by_key if are_single_nodes(domains[key])]
    shared = sorted(
        (key for key in by_key if key not in single),
        key=lambda key: -sum(is_within(domain, domains[key]) for domain in domains.values()),
    )
    for coarse, fine in pairwise(shared):
        if not is_within(domains[fine], domains[coarse]):
            return TopologiesCross(keys=(coarse, fine))
    return (
        *(Level(by_key[key], domains[key], single_nodes=False) for key in shared),
        *(Level(by_key[key], np.minimum(domains[key], 0), single_nodes=True) for key in single),
    )
