"""Namespaces and priority classes as facts."""

from collections.abc import Mapping
from typing import NamedTuple

from lockstep.facts.sizing import Sizing


class NamespaceFact(NamedTuple):
    """One namespace."""

    name: str
    labels: Mapping[str, str]


class PriorityClass(NamedTuple):
    """One PriorityClass; ``preempts`` says whether others of lower priority may be evicted for its gangs.

    Its gangs may ask for a ``sizing`` that takes as much from others, where that is given.
    """

    name: str
    value: int
    is_default: bool
    preempts: bool = True
    sizing: Sizing | None = None
