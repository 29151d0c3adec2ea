"""The probability that each node's owner comes back, in each of the next hours, if this interrupts gangs.

A bid lists probabilities, each from a given time on and for one hour. The hours of two nodes may differ. So the
probabilities are converted to hours of the clock, for a limited number of hours. A bid with many hours can't make plans
slow.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from coschedule import Forecasts, no_forecasts
from lockstep.facts.cluster.node import BidFact, ExpectedHour, OnReturn

HOURS = 48
_HOUR_SECONDS = 3600.0
_ALMOST_CERTAIN = 1 - 2.0**-40

FloatArray = NDArray[np.float64]


class OwnerForecasts:
    """The forecasts for a list of nodes; they are computed again only for changed bids."""

    def __init__(self) -> None:
        self._first = -1
        self._bids: list[BidFact | None] = []
        self._matters = np.zeros(0, dtype=np.bool_)
        self._returns = np.zeros((0, HOURS))
        self._made = no_forecasts()

    def of(self, bids: Sequence[BidFact | None], now: float) -> Forecasts:
        """The probabilities for the nodes of these bids, in their order, from the hour of ``now`` on.

        There is no forecast for a node whose owner's return interrupts no gang, since no work is lost there.
        """
        first = math.floor(now / _HOUR_SECONDS)
        if first != self._first or len(bids) != len(self._bids):
            self._begin_anew(first, len(bids))
        changed = [node for node, (bid, known) in enumerate(zip(bids, self._bids, strict=True)) if bid is not known]
        if changed:
            self._bids = list(bids)
            self._work_out(changed)
            is_any = bool(self._matters.any())
            self._made = Forecasts(edges=_edges(first), returns=self._returns) if is_any else no_forecasts()
        return self._made

    def _begin_anew(self, first: int, nodes: int) -> None:
        self._first, self._bids, self._made = first, [None] * nodes, no_forecasts()
        self._matters = np.zeros(nodes, dtype=np.bool_)
        self._returns = np.zeros((nodes, HOURS))

    def _work_out(self, changed: Sequence[int]) -> None:
        hours = {node: _that_matter(self._bids[node]) for node in changed}
        self._matters[changed] = [bool(of_node) for of_node in hours.values()]
        self._returns[changed] = 0.0
        for begins, nodes in _alike(hours):
            likely = np.array([[hour.returns for hour in hours[node]] for node in nodes])
            self._returns[nodes] = _by_the_clock(np.array(begins), likely, self._first)


def owner_forecasts(bids: Sequence[BidFact | None], now: float) -> Forecasts:
    """Compute the forecasts once, without a cache."""
    return OwnerForecasts().of(bids, now)


def _that_matter(bid: BidFact | None) -> tuple[ExpectedHour, ...]:
    if bid is None or bid.on_return is not OnReturn.EVICT or not any(hour.returns for hour in bid.forecast):
        return ()
    return bid.forecast


def _alike(hours: dict[int, tuple[ExpectedHour, ...]]) -> Iterator[tuple[tuple[float, ...], list[int]]]:
    """The nodes whose hours begin at the same times, with these times."""
    nodes: dict[tuple[float, ...], list[int]] = {}
    for node, of_node in hours.items():
        if of_node:
            nodes.setdefault(tuple(hour.begin for hour in of_node), []).append(node)
    yield from nodes.items()


def _edges(first: int) -> FloatArray:
    edges: FloatArray = _HOUR_SECONDS * np.arange(first, first + HOURS + 1, dtype=np.float64)
    return edges


def _by_the_clock(begins: FloatArray, returns: FloatArray, first: int) -> FloatArray:
    """The probability of each hour of the clock: float[node, hour].

    ``returns[n, h]`` is the probability of the hour that begins at ``begins[h]``. Its hazard lasts until the next hour
    begins. The hazard of the last hour has no end, since later hours are not known to be safe.
    """
    edges = _edges(first)
    rates = -np.log1p(-np.minimum(returns, _ALMOST_CERTAIN)) / _HOUR_SECONDS
    ends = np.append(begins[1:], max(float(begins[-1]), float(edges[-1])) + _HOUR_SECONDS)
    seconds = np.minimum(ends[:, None], edges[1:]) - np.maximum(begins[:, None], edges[:-1])
    # Summed row by row, so that a row does not depend on the other rows, to the last bit.
    hazard: FloatArray = np.einsum("nh,hc->nc", rates, np.clip(seconds, 0.0, _HOUR_SECONDS))
    return -np.expm1(-hazard)
