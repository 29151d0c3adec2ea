"""Whether members on given nodes obey the terms among them; see ``Term``."""

from collections.abc import Mapping, Sequence

import numpy as np

from coschedule.model.numbers import BoolArray, IntArray
from coschedule.queue.feasible.topology import Topology
from coschedule.queue.problem.terms import Term, TermKind


def are_obeyed(
    terms: Sequence[Term], nodes: Mapping[str, IntArray], counts: Mapping[str, IntArray], topology: Topology
) -> bool:
    """Return whether members obey the terms; node ``nodes[role][i]`` has ``counts[role][i]`` members of a role."""
    role = np.concatenate([np.full(int(counts[name].sum()), number) for number, name in enumerate(nodes)])
    node = np.concatenate([nodes[name].repeat(counts[name]) for name in nodes])
    names = list(nodes)
    return all(
        _is_obeyed(term, topology.domains(term.topology_key)[node], role, names) for term in topology.distinct(terms)
    )


def _is_obeyed(term: Term, domain: IntArray, role: IntArray, names: Sequence[str]) -> bool:
    """Check one term: member m has the role ``names[role[m]]`` and is in ``domain[m]``, -1 for none."""
    one = np.isin(role, [number for number, name in enumerate(names) if name in term.roles])
    other = np.isin(role, [number for number, name in enumerate(names) if name in term.towards])
    if term.kind is TermKind.APART:
        return _are_apart(domain, one, other)
    if (domain[one] < 0).any():
        return False
    if term.is_mutual:
        return len(np.unique(domain[one])) <= 1
    return bool(np.isin(domain[one], domain[other]).all())


def _are_apart(domain: IntArray, one: BoolArray, other: BoolArray) -> bool:
    """Return whether no domain has a member of one side and another member of the other side."""
    inside = domain >= 0
    size = int(domain.max(initial=-1)) + 1
    ones, others, both = (np.bincount(domain[inside & side], minlength=size) for side in (one, other, one & other))
    # A pair has one member of each side; a member is no pair with itself.
    return bool((ones * others == both).all())
