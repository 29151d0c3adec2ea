"""The probability that node owners come back, and the work that a run then loses.

The result is exact for hazards that are constant within an hour. Owners come back independently of one another. Let r
be the sum of the hazards of a run's nodes, constant within each hour. While all owners are away, one comes back within
dt with the probability r(t) dt. Let S(t) be the probability that no owner is back by t. Then a run loses on average

    E = sum over hours of  S(a) * integral from a to b of  u(t) * r * exp(-r * (t - a)) dt,

where an hour lasts from a to b, and u(t) is the time since the start of the run, or since its last checkpoint. Between
two checkpoints u rises by one a second, and over x seconds from u = 0 the integral is

    g(x) = (1 - exp(-r * x) * (1 + r * x)) / r.

Whole intervals between checkpoints within an hour are a geometric series. So the computation is O(hours), for any
length of the run and any number of checkpoints. Only the first return counts: the next run of the gang is planned later
on newer facts.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.problem.owner_forecasts import Forecasts

_CERTAIN = 1 - 2.0**-40
"""The largest probability that counts: a certain return would have an infinite hazard."""
_NEGLIGIBLE = 2.0**-60
"""Smaller probabilities count as 0."""


class Loss(NamedTuple):
    """The probability that an owner comes back during a run, and the seconds of work that are lost on average."""

    probability: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Hazards:
    """The rates at which absent node owners come back.

    Axes: node ``n`` by index, hour ``h``. From ``begin[h]``, rising, to the next one, the owner comes back within dt
    seconds with the probability ``rate[n, h] * dt``. The last hour has no end.
    """

    begin: FloatArray
    rate: FloatArray

    def loss(self, nodes: IntArray, start: float, finish: float, interval: float) -> Loss:
        """Return the loss of a run on these nodes with a checkpoint every ``interval`` seconds, inf for never.

        A run without an end loses infinitely much, unless no owner can come back.
        """
        begin = np.clip(self.begin, start, finish)
        end = np.append(begin[1:], finish)
        rate = self.rate[nodes].sum(axis=0)
        at_risk = (rate > 0) & (end > begin)
        rate, begin, end = rate[at_risk], begin[at_risk], end[at_risk]
        hazard = rate * (end - begin)
        probability = -float(np.expm1(-hazard.sum()))
        if finish == np.inf:
            return Loss(probability, np.inf if probability else 0.0)
        before = np.exp(np.append(0.0, -np.cumsum(hazard))[:-1])
        lost = _lost_within(rate, end - begin, np.mod(begin - start, interval), interval)
        return Loss(probability, float((before * lost).sum()))

    def likeliest(self, nodes: IntArray, start: float, finish: float) -> tuple[int, float]:
        """Return the node whose owner most likely comes back during a run, the first of equals, and the probability."""
        begin = np.clip(self.begin, start, finish)
        length = np.append(begin[1:], finish) - begin
        at_risk = (self.rate[nodes] > 0) & (length > 0)
        # The last hour may have an infinite length and a hazard of 0, whose product would be NaN.
        hazard = np.multiply(self.rate[nodes], length, where=at_risk, out=np.zeros(at_risk.shape)).sum(axis=1)
        worst = int(nodes[np.argmax(hazard)])
        return worst, self.loss(np.array([worst]), start, finish, np.inf).probability


def hazards_of(forecasts: Forecasts) -> Hazards | None:
    """Turn probabilities into hazards; None where no owner is expected back at all."""
    returns = np.where(forecasts.returns < _NEGLIGIBLE, 0.0, np.minimum(forecasts.returns, _CERTAIN))
    if not returns.any():
        return None
    return Hazards(begin=forecasts.edges[:-1], rate=-np.log1p(-returns) / np.diff(forecasts.edges))


def _lost_within(rate: FloatArray, length: FloatArray, since: FloatArray, interval: float) -> FloatArray:
    """Return the average loss within each hour, which begins ``since`` seconds after the last checkpoint."""
    head = np.minimum(length, interval - since)
    # A return before the next checkpoint also costs the work before this hour.
    lost = since * -np.expm1(-rate * head) + _lost_since(rate, head)
    rest = length - head
    whole = np.floor(rest / interval)
    if whole.any():
        cycle = _lost_since(rate, np.full_like(rate, interval))
        lost += np.exp(-rate * head) * cycle * np.expm1(-rate * interval * whole) / np.expm1(-rate * interval)
        head, rest = head + whole * interval, np.maximum(rest - whole * interval, 0.0)
    last: FloatArray = np.exp(-rate * head) * _lost_since(rate, rest)
    return lost + last


def _lost_since(rate: FloatArray, seconds: FloatArray) -> FloatArray:
    """Return the integral g of the module docstring."""
    hazard = rate * seconds
    return np.maximum(-np.expm1(-hazard) - hazard * np.exp(-hazard), 0.0) / rate
