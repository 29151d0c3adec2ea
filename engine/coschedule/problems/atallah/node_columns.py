"""Nodes as columns, the input of the searches, made from arrays or from ``Node`` objects.

Example: node 0 has the slow-downs 1, 1 and 2 with one, two and three members. Node 1 has two slots, and always the
slow-down 1. Then ``node`` is [0, 0, 1], ``slowdown`` [1, 2, 1] and ``count`` [2, 1, 2].
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import BoolArray, IntArray, Number, Vector
from coschedule.problems.node import Node

MOST_SLOTS = 2**40
"""The most slots of a node that count: no gang is as large, and sums stay far below the limit of int64."""

_BID = ("start", "until", "duty_cycle", "capacity", "slots", "slowdowns")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeColumns:
    """Axes: node ``i``, and step ``e``, a distinct slow-down of a node; steps are sorted by node, then by slow-down.

    ``start[i]`` and ``until[i]`` are seconds after the request. Node ``node[e]`` has ``count[e]`` slots beyond the
    slots of its lower steps. If one of these slots is used, all members on the node have ``slowdown[e]``. Numbers are
    float64, or ints and fractions as objects when ``is_exact``. All arrays are read-only.
    """

    start: Vector
    until: Vector
    node: IntArray
    slowdown: Vector
    count: IntArray

    def __post_init__(self) -> None:
        if self.start.shape != self.until.shape or self.start.ndim != 1:
            raise InvalidValueError("until", "must have one entry for each node")
        if not self.node.shape == self.slowdown.shape == self.count.shape:
            raise InvalidValueError("slowdown", "must have one entry for each step")
        for column in (self.start, self.until, self.node, self.slowdown, self.count):
            column.flags.writeable = False

    @property
    def is_exact(self) -> bool:
        """Whether all numbers are rational; an infinite ``until`` also counts."""
        return self.start.dtype == object

    def up_to(self, most: int) -> "NodeColumns":
        """Return the columns with at most ``most`` slots for each step."""
        return replace(self, count=np.minimum(self.count, most))

    def as_floats(self) -> "NodeColumns":
        """Round all numbers to the nearest float64."""
        if not self.is_exact:
            return self
        start, until, slowdown = (column.astype(np.float64) for column in (self.start, self.until, self.slowdown))
        return NodeColumns(start=start, until=until, node=self.node, slowdown=slowdown, count=self.count)


def columns_of(
    *,
    start: npt.ArrayLike = 0.0,
    duty_cycle: npt.ArrayLike = 0.0,
    capacity: npt.ArrayLike = 1.0,
    until: npt.ArrayLike = math.inf,
    slots: npt.ArrayLike = 1,
) -> NodeColumns:
    """Turn arrays with one entry per node into float64 columns; a single number applies to all nodes.

    At least one argument is an array. The arguments have the meaning of the attributes of ``Node``. InvalidValueError
    for invalid values.
    """
    numbers = [np.asarray(column, dtype=np.float64) for column in (start, duty_cycle, capacity, until)]
    starts, duties, capacities, ends, slots = np.broadcast_arrays(*numbers, np.asarray(slots, dtype=np.int64))
    _check("start", (starts >= 0) & (starts < np.inf), "must be at least 0 and finite")
    _check("duty_cycle", (duties >= 0) & (duties < np.inf), "must be at least 0 and finite")
    _check("capacity", (capacities > 0) & (capacities < np.inf), "must be above 0 and finite")
    _check("until", ends >= 0, "must be at least 0")
    _check("slots", slots >= 1, "must be at least 1")
    return NodeColumns(
        start=starts.copy(),
        until=ends.copy(),
        node=np.arange(starts.size),
        slowdown=(1 + duties) / capacities,
        count=np.minimum(slots, MOST_SLOTS),
    )


def _check(field: str, good: BoolArray, message: str) -> None:
    if good.ndim != 1:
        raise InvalidValueError(field, "must be an array with one entry for each node")
    if not good.all():
        raise InvalidValueError(f"{field}[{int(np.argmin(good))}]", message)


def columns_of_nodes(nodes: Sequence[Node]) -> NodeColumns:
    """Turn nodes into columns: exact if all numbers of all nodes are rational, else float64."""
    start, until, duty, capacity, slots, slowdowns = (list(map(attrgetter(name), nodes)) for name in _BID)
    steps = {index: given for index, given in enumerate(slowdowns) if given is not None}
    finite_ends = [end for end in until if end != math.inf]
    kinds = set().union(*(map(type, part) for part in (start, duty, capacity, finite_ends, *steps.values())))
    exact = all(issubclass(kind, int | Fraction) for kind in kinds)
    dtype = object if exact else np.float64
    columns = NodeColumns(
        start=np.array(start, dtype=dtype),
        until=np.array(until, dtype=dtype),
        node=np.arange(len(nodes)),
        slowdown=(1 + np.array(duty, dtype=dtype)) / _divisors(capacity, dtype),
        count=np.minimum(np.array(slots), MOST_SLOTS).astype(np.int64),
    )
    return _with_steps(columns, steps) if steps else columns


def _divisors(capacity: Iterable[Number], dtype: type) -> Vector:
    """Return capacities as divisors: as fractions if ``dtype`` is object, so that quotients are exact."""
    return np.array([Fraction(one) for one in capacity] if dtype is object else capacity, dtype=dtype)


def _with_steps(columns: NodeColumns, slowdowns: dict[int, tuple[Number, ...]]) -> NodeColumns:
    """Give nodes with slow-downs by count one step for each distinct slow-down."""
    node, slowdown, count = columns.node.tolist(), columns.slowdown.tolist(), columns.count.tolist()
    for index, steps in slowdowns.items():
        distinct = dict.fromkeys(steps, 0)
        for step in steps:
            distinct[step] += 1
        node[index] = [index] * len(distinct)
        slowdown[index], count[index] = list(distinct), list(distinct.values())
    return NodeColumns(
        start=columns.start,
        until=columns.until,
        node=np.array(_flat(node), dtype=np.int64),
        slowdown=np.array(_flat(slowdown), dtype=columns.slowdown.dtype),
        count=np.array(_flat(count), dtype=np.int64),
    )


def _flat(rows: Iterable[Any]) -> list[Any]:
    return [item for row in rows for item in (row if isinstance(row, list) else [row])]
