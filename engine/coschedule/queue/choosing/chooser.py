"""Which way of choosing suits a gang."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.candidates import Consider
from coschedule.queue.choosing.by_roles import RolesChooser
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.choosing.one_domain import OneDomainChooser
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.constraints.feasibility import Feasibility
from coschedule.queue.demand import Demand, demand_of
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
    places = _places_for(gang, feasibility)
    if not gang.terms and len(gang.roles) == 1:
        return PlainChooser(demand=_demand_of(gang, places, consider, effort))
    keys = keys_of_all(gang)
    inner = _within_a_domain(gang, places, topology, consider, effort)
    if not keys or isinstance(inner, TopologiesCross | TooManyCombinations):
        return inner
    return OneDomainChooser(inner=inner, domain=topology.common_domains(keys), cheapest=_cheapest(gang))


class _Places(NamedTuple):
    """Members of a role may be on nodes passes[n, role], for stays[n, role] seconds; for ever where that is None."""

    passes: BoolArray
    stays: FloatArray | None


def _places_for(gang: PendingGang, feasibility: Feasibility) -> _Places:
    passes = np.stack([feasibility.mask(role.constraints) for role in gang.roles], axis=1)
    stays = [feasibility.stays(role.constraints) for role in gang.roles]
    if all(of_role is None for of_role in stays):
        return _Places(passes, None)
    for_ever = np.full(len(passes), np.inf)
    return _Places(passes, np.stack([for_ever if of_role is None else of_role for of_role in stays], axis=1))


def _demand_of(
    gang: PendingGang, places: _Places, consider: Consider, effort: Effort, *, per_node: int | None = None
) -> Demand:
    """Prepare the choice for a gang of one role."""
    stays = None if places.stays is None else places.stays[:, 0]
    return demand_of(gang, places.passes[:, 0], consider, effort, per_node=per_node, stays=stays)


def keys_of_all(gang: PendingGang) -> tuple[str, ...]:
    """List the labels of which all members share one value."""
    return tuple(sorted({term.topology_key for term in gang.terms if _is_of_all(term, gang)}))


def _is_of_all(term: Term, gang: PendingGang) -> bool:
    return term.kind is TermKind.TOGETHER and term.is_mutual and len(term.roles) == len(gang.roles)


def _within_a_domain(
    gang: PendingGang, places: _Places, topology: Topology, consider: Consider, effort: Effort
) -> PlainChooser | RolesChooser | TopologiesCross | TooManyCombinations:
    terms = [term for term in gang.terms if not _is_of_all(term, gang)]
    passes = places.passes
    domains = {
        key: np.where(passes.any(axis=1), topology.domains(key), -1) for key in {term.topology_key for term in terms}
    }
    if len(gang.roles) == 1 and _are_one_a_node(passes[:, 0], domains):
        return PlainChooser(demand=_demand_of(gang, places, consider, effort, per_node=1 if terms else None))
    levels = _levels(gang, terms, domains)
    if isinstance(levels, TopologiesCross):
        return levels
    party = party_of(gang)
    if party.cells > MOST_CELLS:
        return TooManyCombinations(combinations=party.cells, most=MOST_CELLS)
    return RolesChooser(party=party, passes=passes, levels=levels, consider=consider, effort=effort, stays=places.stays)


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


def _cheapest(gang: PendingGang) -> float:
    """Return the least weighed run time of any size on idle reference nodes, 0 where it is unknown."""
    if gang.work is None:
        return 0.0
    party = party_of(gang)
    return float((party.times * party.weights).min(initial=math.inf))
