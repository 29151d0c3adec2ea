"""Checks whether members on given nodes satisfy the terms among them, since facts may have changed after the plan.

Members are counted once by role and node, and then once by domain for each label. So many terms cost little more than
one term, even with many members.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import Term, TermKind
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.cluster.node import NodeFact


class Stand(NamedTuple):
    """The place of a member: its role, its node, and ``to_come`` while the member is not bound."""

    role: str
    node: str
    to_come: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TermBroken:
    """A broken term: members to come on these nodes would not be together, or not apart."""

    nodes: tuple[str, ...]
    kind: TermKind
    topology_key: str


def term_that_breaks(state: State, terms: Sequence[Term], reservation: Reservation) -> TermBroken | None:
    """The first term among members that would break if the reservation were carried out now; None if none would."""
    return broken_term(terms, list(_stands(state, reservation)), state.nodes) if terms else None


def broken_term(terms: Iterable[Term], stands: Sequence[Stand], nodes: Mapping[str, NodeFact]) -> TermBroken | None:
    """The first term that members to come would break; None if none would. Running members stay where they are."""
    members = _MembersByNode(stands, nodes)
    for term in terms:
        breaking = members.breaking(term)
        if breaking:
            return TermBroken(nodes=tuple(sorted(breaking)), kind=term.kind, topology_key=term.topology_key)
    return None


def _stands(state: State, reservation: Reservation) -> Iterator[Stand]:
    """The places of all members that have not ended."""
    for _, role, node, key in reservation.by_rank():
        pod = state.pods.get(key)
        if pod is None or not pod.has_ended:
            yield Stand(role, node, to_come=pod is None or not pod.node)


class _Domains(NamedTuple):
    """The members of each domain of a label.

    ``of_node[n]`` is the domain of node n, -1 if it has none. ``members[d, r]`` is the number of members by domain and
    role.
    """

    of_node: NDArray[np.intp]
    members: NDArray[np.int64]


class _MembersByNode:
    """Members by node and role.

    ``count[n, r]`` is their number, and ``to_come[n, r]`` says whether any of them is to come.
    """

    def __init__(self, stands: Sequence[Stand], nodes: Mapping[str, NodeFact]) -> None:
        self._facts = nodes
        self._nodes = {name: number for number, name in enumerate(dict.fromkeys(stand.node for stand in stands))}
        self._roles = {name: number for number, name in enumerate(dict.fromkeys(stand.role for stand in stands))}
        shape = len(self._nodes), len(self._roles)
        self._count, self._to_come = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
        for role, node, to_come in stands:
            place = self._nodes[node], self._roles[role]
            self._count[place] += 1
            self._to_come[place] |= to_come
        self._by_label: dict[str, _Domains] = {}

    def breaking(self, term: Term) -> list[str]:
        """The nodes of members to come that break a term."""
        domains = self._domains(term.topology_key)
        roles, towards = self._only(term.roles), self._only(term.towards)
        if term.kind is TermKind.APART:
            is_bad = _not_apart(domains.members, roles, towards)
            breaking = np.append(is_bad, False)[domains.of_node, None] & (roles | towards)
        else:
            is_bad = _not_together(domains.members, towards, in_one_domain=term.roles == term.towards)
            breaking = np.append(is_bad, True)[domains.of_node, None] & roles
        nodes = np.flatnonzero((breaking & self._to_come).any(axis=1)).tolist()
        names = list(self._nodes) if nodes else []
        return [names[node] for node in nodes]

    def _only(self, roles: frozenset[str]) -> NDArray[np.bool_]:
        """A mask of these roles: bool[r]."""
        return np.array([role in roles for role in self._roles], dtype=np.bool_)

    def _domains(self, label: str) -> _Domains:
        if label not in self._by_label:
            facts = (self._facts.get(node) for node in self._nodes)
            values = [None if fact is None else fact.labels.get(label) for fact in facts]
            numbers = {
                value: number for number, value in enumerate(dict.fromkeys(it for it in values if it is not None))
            }
            of_node = np.array([-1 if value is None else numbers[value] for value in values], dtype=np.intp)
            count = np.zeros((len(numbers), len(self._roles)), dtype=np.int64)
            np.add.at(count, of_node[of_node >= 0], self._count[of_node >= 0])
            self._by_label[label] = _Domains(of_node, count)
        return self._by_label[label]


def _not_apart(count: NDArray[np.int64], roles: NDArray[np.bool_], towards: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The domains with two members, one of which must be apart from the other: bool[d]."""
    some, others, themselves = (count[:, those].sum(axis=1) for those in (roles, towards, roles & towards))
    is_bad: NDArray[np.bool_] = some * others > themselves
    return is_bad


def _not_together(count: NDArray[np.int64], towards: NDArray[np.bool_], *, in_one_domain: bool) -> NDArray[np.bool_]:
    """The domains without the required members, or with only a part of them: bool[d]."""
    is_known = count[:, towards].sum(axis=1) > 0
    is_bad: NDArray[np.bool_] = ~is_known
    if in_one_domain and is_known.sum() > 1:
        is_bad[:] = True
    return is_bad
