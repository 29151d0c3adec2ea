"""When owners are expected back whose return interrupts gangs, on hours that all nodes share.

Bids say from when on which probability counts, each for an hour; the hours of two nodes need not be the same. So what
they say is summed up hour by hour of the clock, and only for so many hours: what a bid says costs no other anything.
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
    """The forecasts of one list of nodes after another: only what has changed since the last is worked out."""

    def __init__(self) -> None:
        self._first = -1
        self._bids: list[BidFact | None] = []
        self._matters = np.zeros(0, dtype=np.bool_)
        self._returns = np.zeros((0, HOURS))
        self._made = no_forecasts()

    def of(self, bids: Sequence[BidFact | None], now: float) -> Forecasts:
        """Return the probabilities for the nodes of these bids, in their order, from the hour of ``now`` on.

        Where an owner's return interrupts nobody, nothing is forecast: no work is lost there.
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
    """Return what ``OwnerForecasts`` does, for whoever asks once."""
    return OwnerForecasts().of(bids, now)


def _that_matter(bid: BidFact | None) -> tuple[ExpectedHour, ...]:
    if bid is None or bid.on_return is not OnReturn.EVICT or not any(hour.returns for hour in bid.forecast):
        return ()
    return bid.forecast


def _alike(hours: dict[int, tuple[ExpectedHour, ...]]) -> Iterator[tuple[tuple[float, ...], list[int]]]:
    """List the nodes whose hours begin at the same times, with these."""
    nodes: dict[tuple[float, ...], list[int]] = {}
    for node, of_node in hours.items():
        if of_node:
            nodes.setdefault(tuple(hour.begin for hour in of_node), []).append(node)
    yield from nodes.items()


def _edges(first: int) -> FloatArray:
    edges: FloatArray = _HOUR_SECONDS * np.arange(first, first + HOURS + 1, dtype=np.float64)
    return edges


def _by_the_clock(begins: FloatArray, returns: FloatArray, first: int) -> FloatArray:
    """Return the probability of each hour of the clock: an hour's hazard lasts until the next, the last one's on.

    ``returns[n, h]`` is that of the hour that begins at ``begins[h]``.
    """
    edges = _edges(first)
    rates = -np.log1p(-np.minimum(returns, _ALMOST_CERTAIN)) / _HOUR_SECONDS
    ends = np.append(begins[1:], max(float(begins[-1]), float(edges[-1])) + _HOUR_SECONDS)
    seconds = np.minimum(ends[:, None], edges[1:]) - np.maximum(begins[:, None], edges[:-1])
    # Sums of rows one by one: a row is the same to the last bit, whichever others are worked out with it.
    hazard: FloatArray = np.einsum("nh,hc->nc", rates, np.clip(seconds, 0.0, _HOUR_SECONDS))
    return -np.expm1(-hazard)
