"""Which nodes have which labels. The cost of a requirement grows with its values, not with the number of nodes."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.constraints.node_sets import NOWHERE, NodeSet, all_of, set_of
from coschedule.queue.constraints.requirements import bound_of, label_integer
from coschedule.queue.constraints.terms import Requirement


class LabelIndex:
    """The labels of the nodes of one table, ``labels[n]``; the nodes of a label are cached."""

    def __init__(self, labels: Sequence[Mapping[str, str]]) -> None:
        self._labels = labels
        self._everywhere = all_of(len(labels))
        self._on_no_node = _Column(())
        self._columns: dict[str, _Column] = {}

    def matching(self, requirement: Requirement) -> NodeSet:
        """Find the nodes that match a requirement; a requirement that the API would refuse matches none."""
        operator, values = requirement.operator, requirement.values
        column = self._column(requirement.key)
        if operator == "In" and values:
            return column.with_any(values)
        if operator == "NotIn" and values:
            return self._everywhere ^ column.with_any(values)
        if operator == "Exists" and not values:
            return column.present
        if operator == "DoesNotExist" and not values:
            return self._everywhere ^ column.present
        return column.beyond(operator, bound_of(values))

    def has(self, key: str) -> bool:
        """Whether any node has the label."""
        return key in self._keys

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset[str]().union(*self._labels)

    def _column(self, key: str) -> "_Column":
        """Return the column of a label; all labels that no node has share one empty column."""
        if not self.has(key):
            return self._on_no_node
        if key not in self._columns:
            self._columns[key] = _Column([labels.get(key) for labels in self._labels])
        return self._columns[key]


class _Integers(NamedTuple):
    """The nodes whose value is an integer, sorted by these integers."""

    number: list[int]
    node: IntArray


class _Column:
    """One label: its value on each node, None where a node does not have it."""

    def __init__(self, values: Sequence[str | None]) -> None:
        self._values = values
        self._beyond: dict[tuple[str, int], NodeSet] = {}

    def with_any(self, values: Iterable[str]) -> NodeSet:
        """Find the nodes with one of the values."""
        found, nodes = NOWHERE, self._nodes
        for value in values:
            found |= nodes.get(value, NOWHERE)
        return found

    def beyond(self, operator: str, bound: int | None) -> NodeSet:
        """Find the nodes whose value is an integer above (Gt) or below (Lt) the bound; none for other operators."""
        if bound is None or operator not in ("Gt", "Lt"):
            return NOWHERE
        number, node = self._integers
        first = (bisect_right if operator == "Gt" else bisect_left)(number, bound)
        # The cache is bounded by the integers on nodes, however many different bounds users write.
        if (operator, first) not in self._beyond:
            mask = np.zeros(len(self._values), dtype=np.bool_)
            mask[node[first:] if operator == "Gt" else node[:first]] = True
            self._beyond[operator, first] = set_of(mask)
        return self._beyond[operator, first]

    @cached_property
    def present(self) -> NodeSet:
        """The nodes that have the label."""
        return self.with_any(self._nodes)

    @cached_property
    def _nodes(self) -> Mapping[str, NodeSet]:
        """The nodes of each value."""
        nodes: dict[str, NodeSet] = {}
        for number, value in enumerate(self._values):
            if value is not None:
                nodes[value] = nodes.get(value, NOWHERE) | 1 << number
        return nodes

    @cached_property
    def _integers(self) -> _Integers:
        numbers = {node: label_integer(value) for node, value in enumerate(self._values) if value is not None}
        rising = sorted((number, node) for node, number in numbers.items() if number is not None)
        return _Integers([number for number, _ in rising], np.array([node for _, node in rising], dtype=np.int64))
