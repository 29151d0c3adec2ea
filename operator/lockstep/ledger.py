"""What is committed on every node: by pods that are there, and by members that are assumed to come.

One charge a pod, whoever made it, so that an assumption and the pod that confirms it never count twice. Sums are kept
as one integer array, updated pod by pod: a snapshot copies it instead of adding up 50,000 pods.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep.facts import PodKey, Request


class Charge(NamedTuple):
    """What one pod takes from a node. ``is_assumed``: no watch has shown it there yet."""

    node: str
    request: Request
    is_assumed: bool


class Ledger:
    """Charges by pod, and their sums ``committed[row of the node, column of the resource]`` in base units.

    Life of a charge: ``assume`` → ``confirm`` → ``release``; ``forget`` ends an assumption that was not confirmed, and
    only that.
    """

    def __init__(self) -> None:
        self._charges: dict[PodKey, Charge] = {}
        self._rows: dict[str, int] = {}
        self._columns: dict[str, int] = {}
        self._committed: NDArray[np.int64] = np.zeros((64, 8), dtype=np.int64)
        self.assumed = 0

    def charge(self, pod: PodKey) -> Charge | None:
        """What that pod takes, if anything."""
        return self._charges.get(pod)

    def assume(self, pod: PodKey, node: str, request: Request) -> None:
        """Count a member that is about to be bound. A pod that is charged already stays as it is."""
        if pod not in self._charges:
            self._enter(pod, Charge(node, request, is_assumed=True))

    def confirm(self, pod: PodKey, node: str, request: Request) -> bool:
        """Count a pod that a watch shows on a node. Returns whether that changes what is committed there."""
        before = self._charges.get(pod)
        if before is not None:
            if (before.node, before.request) == (node, request) and not before.is_assumed:
                return False
            self._strike(pod)
        self._enter(pod, Charge(node, request, is_assumed=False))
        return before is None or (before.node, before.request) != (node, request)

    def release(self, pod: PodKey) -> bool:
        """Stop counting a pod that is gone or has ended. Returns whether it was counted."""
        if pod not in self._charges:
            return False
        self._strike(pod)
        return True

    def forget(self, pod: PodKey) -> bool:
        """Stop counting a member that was only assumed. Returns whether it was."""
        charge = self._charges.get(pod)
        return charge is not None and charge.is_assumed and self.release(pod)

    def rows(self, nodes: tuple[str, ...]) -> NDArray[np.intp]:
        """The rows of these nodes, for :meth:`committed`."""
        return np.array([self._row(node) for node in nodes], dtype=np.intp)

    def columns(self, resources: tuple[str, ...]) -> NDArray[np.intp]:
        """The columns of these resources, for :meth:`committed`."""
        return np.array([self._column(resource) for resource in resources], dtype=np.intp)

    def committed(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.int64]:
        """A copy of the sums: ``[n, r]`` for node ``rows[n]`` and resource ``columns[r]``."""
        return self._committed[np.ix_(rows, columns)]

    def _enter(self, pod: PodKey, charge: Charge) -> None:
        self._charges[pod] = charge
        self.assumed += charge.is_assumed
        self._add(charge, +1)

    def _strike(self, pod: PodKey) -> None:
        charge = self._charges.pop(pod)
        self.assumed -= charge.is_assumed
        self._add(charge, -1)

    def _add(self, charge: Charge, sign: int) -> None:
        row = self._row(charge.node)
        for resource, amount in charge.request:
            column = self._column(resource)
            self._committed[row, column] += sign * amount

    def _row(self, node: str) -> int:
        row = self._rows.setdefault(node, len(self._rows))
        if row >= self._committed.shape[0]:
            self._committed = np.pad(self._committed, ((0, row), (0, 0)))
        return row

    def _column(self, resource: str) -> int:
        column = self._columns.setdefault(resource, len(self._columns))
        if column >= self._committed.shape[1]:
            self._committed = np.pad(self._committed, ((0, 0), (0, column)))
        return column
