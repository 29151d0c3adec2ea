"""Kinds of nodes that make a gang faster or slower than they make others."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

NO_KIND = -1
"""The kind of a node of which nothing is known."""


class KindFactor(NamedTuple):
    """On nodes of a ``kind``, by number, a gang's members take so many ``times`` as long as others' do."""

    kind: int
    times: float


def number_kinds(names: Sequence[str]) -> tuple[IntArray, dict[str, int]]:
    """Number the kinds of nodes, int[n], by their names; where a name is empty it is ``NO_KIND``."""
    numbers = {name: number for number, name in enumerate(sorted(set(names) - {""}))}
    return np.array([numbers.get(name, NO_KIND) for name in names], dtype=np.int64), numbers


def times_on(factors: Sequence[KindFactor], kinds: IntArray) -> FloatArray:
    """Tell how many times as long a gang with these factors takes on nodes of these kinds: float[n]; 1 on others."""
    times = np.ones(len(kinds))
    for factor in factors:
        times[kinds == factor.kind] = factor.times
    return times
