"""The chooser for a gang, by its roles and terms."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.choosing.by_roles import RolesChooser
from coschedule.queue.choosing.choice import Chooser
from coschedule.queue.choosing.demand import Demand, demand_of
from coschedule.queue.choosing.one_domain import OneDomainChooser
from coschedule.queue.choosing.plain import PlainChooser
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.feasible.topology import Topology, are_single_nodes, is_within
from coschedule.queue.packing.node_classes import Level
from coschedule.queue.packing.rules import RolesOfTerm, roles_of_term
from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.problem.refusals import TooManyCombinations, TopologiesCross
from coschedule.queue.problem.terms import Term, TermKind
from coschedule.queue.roles.party import MOST_CELLS, party_of
from coschedule.queue.search.candidates import Consider
from coschedule.queue.search.effort import Effort

_STEPS_A_TERM = 100
"""The cost of comparing a term with the terms before it, in steps of ``Effort``."""


def chooser_of(
    gang: PendingGang, feasibility: Feasibility, topology: Topology, consider: Consider, effort: Effort
) -> Chooser | TopologiesCross | TooManyCombinations:
    """Return the chooser for a gang, or a refusal if no choice is possible."""
    places = _places_for(gang, feasibility)
    if not gang.terms and len(gang.roles) == 1:
        return PlainChooser(demand=_demand_of(gang, places, consider, effort))
    effort.spend(len(gang.terms) * _STEPS_A_TERM)
    keys = keys_of_all(gang, topology)
    inner = _within_a_domain(gang, places, topology, consider, effort)
    if not keys or isinstance(inner, TopologiesCross | TooManyCombinations):
        return inner
    return OneDomainChooser(inner=inner, domain=topology.common_domains(keys))


class _Places(NamedTuple):
    """Members may be on node n if ``passes[n, role]``, for ``stays[n, role]`` seconds; None stands for no limit."""

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
    """Return the demand of a gang of one role."""
    stays = None if places.stays is None else places.stays[:, 0]
    return demand_of(gang, places.passes[:, 0], consider, effort, per_node=per_node, stays=stays)


def keys_of_all(gang: PendingGang, topology: Topology) -> tuple[str, ...]:
    """List the labels whose value all members must share. If labels have the same domains, list the first by name."""
    of_all = (term for term in gang.terms if _is_of_all(term, gang))
    distinct = topology.distinct(sorted(of_all, key=lambda term: term.topology_key))
    return tuple(term.topology_key for term in distinct)


def _is_of_all(term: Term, gang: PendingGang) -> bool:
    return term.kind is TermKind.TOGETHER and term.is_mutual and len(term.roles) == len(gang.roles)


def _within_a_domain(
    gang: PendingGang, places: _Places, topology: Topology, consider: Consider, effort: Effort
) -> PlainChooser | RolesChooser | TopologiesCross | TooManyCombinations:
    terms = [term for term in gang.terms if not _is_of_all(term, gang)]
    passes = places.passes
    labels = _labels(gang, topology.distinct(terms), passes, topology)
    if len(gang.roles) == 1 and all(label.is_one_a_node(passes[:, 0]) for label in labels):
        return PlainChooser(demand=_demand_of(gang, places, consider, effort, per_node=1 if terms else None))
    steps = len(labels) ** 2 * len(passes)
    if not effort.allows(steps):
        return TooManyCombinations(combinations=None, most=effort.most)
    effort.spend(steps)
    levels = _levels(labels)
    if isinstance(levels, TopologiesCross):
        return levels
    party = party_of(gang)
    if party.cells > MOST_CELLS:
        return TooManyCombinations(combinations=party.cells, most=MOST_CELLS)
    return RolesChooser(party=party, passes=passes, levels=levels, consider=consider, effort=effort, stays=places.stays)


class _Label(NamedTuple):
    """A label and its terms. If node n passes for some role, ``domain[n]`` is its domain; otherwise it is -1."""

    key: str
    domain: IntArray
    terms: Sequence[RolesOfTerm]

    @property
    def is_of_single_nodes(self) -> bool:
        """Whether no two nodes share a domain."""
        return are_single_nodes(self.domain)

    def is_one_a_node(self, passes: BoolArray) -> bool:
        """Whether anti-affinity within a role allows at most one member on each node that passes, bool[n]."""
        return self.is_of_single_nodes and bool((self.domain[passes] >= 0).all())


def _labels(gang: PendingGang, terms: Iterable[Term], passes: BoolArray, topology: Topology) -> list[_Label]:
    """List the labels of terms, by name; labels with the same domains count as one."""
    names = [role.name for role in gang.roles]
    by_domains: dict[int, list[Term]] = {}
    for term in sorted(terms, key=lambda term: term.topology_key):
        by_domains.setdefault(id(topology.domains(term.topology_key)), []).append(term)
    somewhere = passes.any(axis=1)
    return [
        _Label(
            key=same[0].topology_key,
            domain=np.where(somewhere, topology.domains(same[0].topology_key), -1),
            terms=tuple(roles_of_term(term, names) for term in same),
        )
        for same in by_domains.values()
    ]


def _levels(labels: Sequence[_Label]) -> tuple[Level, ...] | TopologiesCross:
    """Return the levels of labels, the coarsest first; a refusal if domains overlap and none contains the other.

    If the domains of a label are single nodes, they are not numbered: ``Level.domain`` is 0 for each of these nodes.
    """
    single = [label for label in labels if label.is_of_single_nodes]
    shared = sorted(
        (label for label in labels if not label.is_of_single_nodes),
        key=lambda label: -sum(is_within(other.domain, label.domain) for other in labels),
    )
    for coarse, fine in pairwise(shared):
        if not is_within(fine.domain, coarse.domain):
            return TopologiesCross(keys=(coarse.key, fine.key))
    return (
        *(Level(label.terms, label.domain, single_nodes=False) for label in shared),
        *(Level(label.terms, np.minimum(label.domain, 0), single_nodes=True) for label in single),
    )
