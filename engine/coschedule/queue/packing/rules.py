"""The terms of a gang as rules on the table of one domain; see ``layout`` and ``Term``."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray
from coschedule.queue.packing.layout import Layout
from coschedule.queue.problem.terms import Term, TermKind

Rule = Callable[[FloatArray], FloatArray]
"""Returns a table without the combinations of members that a term forbids."""


class RolesOfTerm(NamedTuple):
    """The roles of a term, bool[r] each."""

    kind: TermKind
    roles: BoolArray
    towards: BoolArray


def roles_of_term(term: Term, names: Sequence[str]) -> RolesOfTerm:
    """Find the roles that a term names."""
    return RolesOfTerm(
        term.kind,
        np.array([name in term.roles for name in names]),
        np.array([name in term.towards for name in names]),
    )


def is_bound(terms: Sequence[RolesOfTerm], roles: int) -> BoolArray:
    """Return the roles whose members a term may require, so that they can't be left out freely: bool[r]."""
    bound = np.zeros(roles, dtype=np.bool_)
    for term in terms:
        if term.kind is TermKind.TOGETHER:
            bound |= term.roles | term.towards
    return bound


def rule_inside(term: RolesOfTerm, layout: Layout) -> Rule:
    """Return the rule for the nodes of one domain."""
    if term.kind is TermKind.TOGETHER:
        return _together(term, layout)
    return _apart(term, layout)


def rule_outside(term: RolesOfTerm, layout: Layout) -> Rule:
    """Return the rule for nodes in no domain: affinity is never satisfied there, anti-affinity always is."""
    if term.kind is TermKind.APART:
        return lambda table: table
    return _masked(layout.counts[:, term.roles].sum(axis=1) == 0)


def _together(term: RolesOfTerm, layout: Layout) -> Rule:
    """Allow all members or none if both sides name the same roles.

    Otherwise members of ``roles`` need a member of ``towards`` beside them.
    """
    if (term.roles == term.towards).all():
        some = layout.counts[:, term.roles]
        return _masked((some == layout.needed[term.roles]).all(axis=1) | (some == 0).all(axis=1))
    others = layout.counts[:, term.roles & ~term.towards].sum(axis=1)
    return _masked((others == 0) | (layout.counts[:, term.towards].sum(axis=1) > 0))


def _masked(allowed: BoolArray) -> Rule:
    return lambda table: np.where(allowed, table, -np.inf)


def _apart(term: RolesOfTerm, layout: Layout) -> Rule:
    """Allow members of one side only, or a single member of a role that is on both sides."""
    alone = [np.where(term.roles | term.towards, 0.0, np.inf) for _ in np.flatnonzero(term.roles & term.towards)]
    for most, role in zip(alone, np.flatnonzero(term.roles & term.towards).tolist(), strict=True):
        most[role] = 1.0
    boxes = [np.where(term.roles, 0.0, np.inf), np.where(term.towards, 0.0, np.inf), *alone]
    return _within_one_of(boxes, layout)


def _within_one_of(boxes: Sequence[FloatArray], layout: Layout) -> Rule:
    """Allow at most ``box[r]`` members of each role, for one of the boxes."""
    masks = [(layout.counts <= box).all(axis=1) for box in boxes]
    most = [np.inf if layout.maximised is None else float(box[layout.maximised]) for box in boxes]

    def limited(table: FloatArray) -> FloatArray:
        tables = [np.where(mask, np.minimum(table, value), -np.inf) for mask, value in zip(masks, most, strict=True)]
        best: FloatArray = np.max(tables, axis=0)
        return best

    return limited
