"""Parses node selectors."""

from coschedule import NodeTerm, Requirement
from lockstep.api.manifest import Manifest


def parse_terms(selector: Manifest) -> tuple[NodeTerm, ...]:
    """The terms of a node selector. A node must match at least one term."""
    return tuple(_term(term) for term in selector.get("nodeSelectorTerms") or ())


def _term(term: Manifest) -> NodeTerm:
    return NodeTerm(
        tuple(_requirement(one) for one in term.get("matchExpressions") or ()),
        tuple(_requirement(one) for one in term.get("matchFields") or ()),
    )


def _requirement(one: Manifest) -> Requirement:
    return Requirement(one["key"], one["operator"], tuple(one.get("values") or ()))
