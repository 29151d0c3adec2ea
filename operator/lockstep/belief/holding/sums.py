"""Sums of what pods take, by node and resource: exact as integers, and as arrays for the resources in use.

Users may create pods with any node, resource and amount. So sums are Python integers, which never overflow, and take
memory only where something is counted. Arrays get a row or column on first use, and hold at most ``LARGEST_SUM``. Rows
are dropped when most nodes are gone. Columns are dropped when there are too many.
"""

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from lockstep.facts.pods.pod import LARGEST_AMOUNT, Request

LARGEST_SUM = 2 * LARGEST_AMOUNT
"""A node with this sum is full, since it is more than any node can hold. It is small enough for 64-bit arithmetic."""

# Gangs usually use fewer resources. Beyond this number, the columns that the present call does not need are closed.
_MOST_COLUMNS = 64
# The arrays shrink if the number of free rows exceeds the number of used rows by more than this.
_SPARE_ROWS = 64

Rows = NDArray[np.intp]
Columns = NDArray[np.intp]


class Sums:
    """Sums in independent layers.

    Rows are valid until the next call of ``drop_row``, columns until the next call of ``columns``.
    """

    def __init__(self, layers: int) -> None:
        self._exact: list[dict[str, dict[str, int]]] = [{} for _ in range(layers)]
        self._rows: dict[str, int] = {}
        self._free_rows: list[int] = []
        self._columns: dict[str, int] = {}
        self._table: NDArray[np.int64] = np.zeros((layers, _SPARE_ROWS, 8), dtype=np.int64)

    def add(self, layer: int, node: str, request: Request, sign: int) -> None:
        """Add what one pod takes of a node (``sign`` 1), or subtract it (``sign`` -1)."""
        row = self._rows.get(node)
        for resource, amount in request:
            total = self._add_exactly(self._exact[layer], node, resource, sign * amount)
            column = self._columns.get(resource)
            if row is not None and column is not None:
                self._table[layer, row, column] = min(total, LARGEST_SUM)

    def has(self, layer: int, resource: str) -> bool:
        """Whether any of that resource is counted on any node."""
        return resource in self._exact[layer]

    def take(self, layer: int, rows: Rows, columns: Columns) -> NDArray[np.int64]:
        """A copy of one layer's sums: ``[n, r]`` for node ``rows[n]`` and resource ``columns[r]``."""
        copy: NDArray[np.int64] = self._table[layer][np.ix_(rows, columns)]
        return copy

    def rows(self, nodes: tuple[str, ...]) -> Rows:
        """The rows of these nodes."""
        for node in nodes:
            if node not in self._rows:
                self._open_row(node)
        return np.array([self._rows[node] for node in nodes], dtype=np.intp)

    def drop_row(self, node: str) -> None:
        """Free the row of a node that is gone. Pods on this node stay counted."""
        row = self._rows.pop(node, None)
        if row is not None:
            self._free_rows.append(row)
            if len(self._free_rows) > len(self._rows) + _SPARE_ROWS:
                self._close_free_rows()

    def columns(self, resources: tuple[str, ...]) -> Columns:
        """The columns of these resources."""
        missing = [resource for resource in resources if resource not in self._columns]
        if len(self._columns) + len(missing) > max(_MOST_COLUMNS, len(resources)):
            self._close_columns_but(frozenset(resources))
        for resource in missing:
            self._open_column(resource)
        return np.array([self._columns[resource] for resource in resources], dtype=np.intp)

    def opening(self, resources: tuple[str, ...]) -> Generator[None, None, None]:
        """Open the columns of these resources in steps; ``columns`` opens them all at once."""
        wanted = set(resources)
        for resource in resources:
            if resource not in self._columns:
                self.columns((*self._columns.keys() & wanted, resource))
                yield

    @staticmethod
    def _add_exactly(exact: dict[str, dict[str, int]], node: str, resource: str, amount: int) -> int:
        totals = exact.setdefault(resource, {})
        totals[node] = total = totals.get(node, 0) + amount
        if not total:
            del totals[node]
            if not totals:
                del exact[resource]
        return total

    def _open_row(self, node: str) -> None:
        row = self._free_rows.pop() if self._free_rows else len(self._rows)
        self._rows[node] = row
        if row >= self._table.shape[1]:
            self._table = np.pad(self._table, ((0, 0), (0, max(row, _SPARE_ROWS)), (0, 0)))
        for layer, exact in enumerate(self._exact):
            for resource, column in self._columns.items():
                self._table[layer, row, column] = min(exact.get(resource, {}).get(node, 0), LARGEST_SUM)

    def _open_column(self, resource: str) -> None:
        self._columns[resource] = column = len(self._columns)
        if column >= self._table.shape[2]:
            self._table = np.pad(self._table, ((0, 0), (0, 0), (0, max(column, 1))))
        self._table[:, :, column] = 0
        for layer, exact in enumerate(self._exact):
            for node, total in exact.get(resource, {}).items():
                if node in self._rows:
                    self._table[layer, self._rows[node], column] = min(total, LARGEST_SUM)

    def _close_free_rows(self) -> None:
        self._table = self._table[:, list(self._rows.values())]
        self._rows = {node: row for row, node in enumerate(self._rows)}
        self._free_rows.clear()

    def _close_columns_but(self, asked: frozenset[str]) -> None:
        kept = [resource for resource in self._columns if resource in asked]
        self._table = self._table[:, :, [self._columns[resource] for resource in kept]]
        self._columns = {resource: column for column, resource in enumerate(kept)}
