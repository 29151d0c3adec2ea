"""Namespaces and priority classes as facts."""

from collections.abc import Mapping
from typing import NamedTuple


class NamespaceFact(NamedTuple):
    """One namespace."""

    name: str
    labels: Mapping[str, str]


class PriorityClass(NamedTuple):
    """One PriorityClass; ``preempts`` says whether others of lower priority may be evicted for its gangs."""

    name: str
    value: int
    is_default: bool
    preempts: bool = True
