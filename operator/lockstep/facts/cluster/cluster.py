"""Namespaces and priority classes as facts."""

from collections.abc import Mapping
from typing import NamedTuple

from lockstep.facts.sizing import Sizing


class NamespaceFact(NamedTuple):
    """One namespace."""

    name: str
    labels: Mapping[str, str]


class PriorityClass(NamedTuple):
    """One PriorityClass; ``preempts`` says whether gangs of lower priority may be evicted for its gangs.

    ``sizing`` is the greediest sizing that its gangs may use, if given.
    """

    name: str
    value: int
    is_default: bool
    preempts: bool = True
    sizing: Sizing | None = None
