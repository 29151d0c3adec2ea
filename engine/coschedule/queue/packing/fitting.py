"""The table of a single node: which numbers of members it can hold together."""

from dataclasses import dataclass, field

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.packing.layout import Layout, Options
from coschedule.queue.problem.snapshot import AMOUNT_LIMIT

_NEVER_FREE = 2**63 - 1
"""More than is free on any node."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fitting:
    """Makes tables of nodes: a member takes ``requests[role, r]``, and all members of a cell take ``used[a, r]``.

    ``known`` caches the options of nodes.
    """

    layout: Layout
    requests: IntArray
    used: IntArray
    known: dict[bytes, Options] = field(default_factory=dict)

    @property
    def all(self) -> IntArray:
        """The request of the whole gang: int[r]."""
        total: IntArray = _product(self.layout.needed[np.newaxis], self.requests)[0]
        return total

    def tables(self, free: IntArray, admitted: BoolArray) -> FloatArray:
        """Return the tables of nodes: float[n, a].

        Node n has ``free[n, r]``, at least 0, for members of roles with ``admitted[n, role]``.
        """
        fits = (self.used <= free[:, np.newaxis]).all(axis=2)
        if not admitted.all():
            fits &= ~((self.layout.counts > 0) & ~admitted[:, np.newaxis]).any(axis=2)
        return np.where(fits, self._values(free, admitted), -np.inf)

    def _values(self, free: IntArray, admitted: BoolArray) -> FloatArray:
        role = self.layout.maximised
        if role is None:
            return np.zeros((len(free), len(self.used)))
        wanted = np.flatnonzero(self.requests[role])
        slots = (free[:, np.newaxis, wanted] - self.used[:, wanted]) // self.requests[role, wanted]
        most = slots.min(axis=2, initial=self.layout.needed[role]).astype(np.float64)
        return np.where(admitted[:, role, np.newaxis], most, 0.0)


def fitting_of(layout: Layout, requests: IntArray) -> Fitting:
    """Prepare the tables of nodes for members with these requests."""
    return Fitting(layout=layout, requests=requests, used=_product(layout.counts, requests))


def _product(counts: IntArray, requests: IntArray) -> IntArray:
    """Multiply counts[a, role] with requests[role, r]; products above ``AMOUNT_LIMIT`` become ``_NEVER_FREE``."""
    about = counts.astype(np.float64) @ requests.astype(np.float64)
    return np.where(about > AMOUNT_LIMIT, _NEVER_FREE, counts @ requests)
