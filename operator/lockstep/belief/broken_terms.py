"""Whether members that stand so meet what they require of each other: facts may have changed since the plan."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coschedule import Term, TermKind
from lockstep.belief.affinity import terms_of
from lockstep.belief.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.node import NodeFact


class Stand(NamedTuple):
    """Where a member is, or is to be: on a node ``to_come`` while it is not bound."""

    role: str
    node: str
    to_come: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TermBroken:
    """Members that are to come to these nodes are not together with, or not apart from, those with whom they belong."""

    nodes: tuple[str, ...]
    kind: TermKind
    topology_key: str


def term_that_breaks(state: State, gang: GangFact, reservation: Reservation) -> TermBroken | None:
    """What the gang's members require of each other and would not have, if the reservation were carried out now."""
    terms = terms_of(state, gang)
    return broken_term(terms, list(_stands(state, reservation)), state.nodes) if terms else None


def broken_term(terms: Iterable[Term], stands: Sequence[Stand], nodes: Mapping[str, NodeFact]) -> TermBroken | None:
    """The first term that members to come would break; those that run stay where they are."""
    for term in terms:
        breaking = {stand.node for stand in _breaking(term, stands, nodes) if stand.to_come}
        if breaking:
            return TermBroken(nodes=tuple(sorted(breaking)), kind=term.kind, topology_key=term.topology_key)
    return None


def _stands(state: State, reservation: Reservation) -> Iterator[Stand]:
    """All members that have not ended."""
    ranks = zip(reservation.pod_keys(), reservation.nodes_by_rank(), reservation.roles_by_rank(), strict=True)
    for key, node, role in ranks:
        pod = state.pods.get(key)
        if pod is None or not pod.has_ended:
            yield Stand(role, node, to_come=pod is None or not pod.node)


def _breaking(term: Term, stands: Sequence[Stand], nodes: Mapping[str, NodeFact]) -> Iterator[Stand]:
    by_domain: dict[str | None, list[Stand]] = defaultdict(list)
    for stand in stands:
        node = nodes.get(stand.node)
        by_domain[None if node is None else node.labels.get(term.topology_key)].append(stand)
    yield from _not_apart(term, by_domain) if term.kind is TermKind.APART else _not_together(term, by_domain)


def _not_apart(term: Term, by_domain: Mapping[str | None, list[Stand]]) -> Iterator[Stand]:
    for domain, stands in by_domain.items():
        some, others = _of(term.roles, stands), _of(term.towards, stands)
        themselves = len(_of(term.roles & term.towards, stands))
        if domain is not None and len(some) * len(others) > themselves:
            yield from some
            yield from others


def _not_together(term: Term, by_domain: Mapping[str | None, list[Stand]]) -> Iterator[Stand]:
    in_one_domain = term.roles == term.towards
    known = [domain for domain, stands in by_domain.items() if domain is not None and _of(term.towards, stands)]
    for domain, stands in by_domain.items():
        if domain not in known or (in_one_domain and len(known) > 1):
            yield from _of(term.roles, stands)


def _of(roles: frozenset[str], stands: Iterable[Stand]) -> list[Stand]:
    return [stand for stand in stands if stand.role in roles]
