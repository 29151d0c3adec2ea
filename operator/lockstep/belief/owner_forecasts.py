"""When owners are expected back whose return interrupts gangs, on hours that all nodes share.

Bids say from when on which probability counts, each for an hour; the hours of two nodes need not be the same. So what
they say is summed up hour by hour of the clock, and only for so many hours: what a bid says costs no other anything.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from coschedule import Forecasts, no_forecasts
from lockstep.facts.node import BidFact, ExpectedHour, OnReturn

HOURS = 48
_HOUR_SECONDS = 3600.0
_ALMOST_CERTAIN = 1 - 2.0**-40


def owner_forecasts(bids: Sequence[BidFact | None], now: float) -> Forecasts:
    """Return the probabilities for the nodes of these bids, in their order, from the hour of ``now`` on.

    Where an owner's return interrupts nobody, nothing is forecast: no work is lost there.
    """
    forecasts = {node: hours for node, bid in enumerate(bids) if (hours := _that_matter(bid))}
    if not forecasts:
        return no_forecasts()
    first = math.floor(now / _HOUR_SECONDS)
    returns = np.zeros((len(bids), HOURS))
    for node, hours in forecasts.items():
        returns[node] = _by_the_clock(hours, first)
    return Forecasts(edges=_edges(first), returns=returns)


def _that_matter(bid: BidFact | None) -> tuple[ExpectedHour, ...]:
    if bid is None or bid.on_return is not OnReturn.EVICT or not any(hour.returns for hour in bid.forecast):
        return ()
    return bid.forecast


def _edges(first: int) -> NDArray[np.float64]:
    edges: NDArray[np.float64] = _HOUR_SECONDS * np.arange(first, first + HOURS + 1, dtype=np.float64)
    return edges


@lru_cache(maxsize=2**14)
def _by_the_clock(hours: tuple[ExpectedHour, ...], first: int) -> NDArray[np.float64]:
    """Return the probability of each hour of the clock: an hour's hazard lasts until the next, the last one's on."""
    edges = _edges(first)
    begins = np.array([hour.begin for hour in hours])
    rates = -np.log1p(-np.minimum([hour.returns for hour in hours], _ALMOST_CERTAIN)) / _HOUR_SECONDS
    ends = np.append(begins[1:], max(float(begins[-1]), float(edges[-1])) + _HOUR_SECONDS)
    hazard = np.append(0.0, np.cumsum(rates * (ends - begins)))
    returns: NDArray[np.float64] = -np.expm1(-np.diff(np.interp(edges, np.append(begins, ends[-1]), hazard)))
    return returns
