"""Kinds of nodes on which a gang is faster or slower than other gangs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

NO_KIND = -1
"""The kind of a node without a known kind."""


class KindFactor(NamedTuple):
    """A gang's members take ``times`` times as long as other gangs' members on nodes of the kind number ``kind``."""

    kind: int
    times: float


def number_kinds(names: Sequence[str]) -> tuple[IntArray, dict[str, int]]:
    """Number the names of kinds: return the number of each of ``names``, int[n], and the numbers by name.

    An empty name has the number ``NO_KIND``.
    """
    numbers = {name: number for number, name in enumerate(sorted(set(names) - {""}))}
    return np.array([numbers.get(name, NO_KIND) for name in names], dtype=np.int64), numbers


def times_on(factors: Sequence[KindFactor], kinds: IntArray) -> FloatArray:
    """Return the factor of each node, by its kind: float[n], 1 for kinds without a factor."""
    times = np.ones(len(kinds))
    for factor in factors:
        times[kinds == factor.kind] = factor.times
    return times
