"""The workload model of U. Lublin and D. G. Feitelson, *The workload on parallel supercomputers*, JPDC 63(11), 2003.

The parameters are the paper's parameters for batch and interactive jobs together. A size is one member, or 2 to the
power of a random number. This number is uniform in each of two intervals, and is rounded for most jobs. A run time is
the exponential of a hyper-gamma number, which has one of two gamma distributions. The first of the two is more likely
for smaller jobs. A gap between arrivals is the exponential of a gamma number. Each half hour has a weight, and reduces
a gap by its weight. So jobs arrive faster in half hours with larger weights. The weights of a day follow another gamma
distribution.
"""

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.workload.rigid import RigidJob

_SERIAL, _POWER_OF_TWO = 0.244, 0.576
_LOW, _BELOW_HIGH, _FIRST_STAGE = 0.8, 2.5, 0.86
_SHORT, _LONG = (4.2, 0.94), (312.0, 0.03)
_SHORT_BY_SIZE, _SHORT_AT_LEAST = -0.0054, 0.78
_ARRIVAL, _DAY = (10.2303 * 1.0225, 0.4871), (8.1737, 3.9631)
_LONGEST_LOG, _LONGEST_GAP_LOG = 12.0, 13.0

_HALF_HOURS, _SECONDS = 48, 1800.0
_DAY_BEGINS = 11


def lublin99(count: int, nodes: int, random: np.random.Generator) -> list[RigidJob]:
    """Draw ``count`` jobs for a cluster of ``nodes``, at least 2, in the order of their submission."""
    return [_job(submitted, nodes, random) for submitted in islice(_submissions(random), count)]


def _job(submitted: float, nodes: int, random: np.random.Generator) -> RigidJob:
    size = _size(nodes, random)
    share = min(1.0, max(0.0, _SHORT_BY_SIZE * size + _SHORT_AT_LEAST))
    while True:
        shape, scale = _SHORT if random.random() <= share else _LONG
        log = random.gamma(shape, scale)
        if log <= _LONGEST_LOG:
            return RigidJob(submitted, size, max(1.0, math.exp(log)))


def _size(nodes: int, random: np.random.Generator) -> int:
    kind, high = random.random(), math.log2(nodes)
    if kind <= _SERIAL:
        return 1
    middle = max(_LOW, high - _BELOW_HIGH)
    log = random.uniform(_LOW, middle) if random.random() <= _FIRST_STAGE else random.uniform(middle, high)
    if kind <= _SERIAL + _POWER_OF_TWO:
        log = round(log)
    return min(nodes, max(1, round(2**log)))


def _submissions(random: np.random.Generator) -> Iterator[float]:
    """Yield submission times from midnight on, rising, without end; each half hour reduces a gap by its weight."""
    weights, half_hour, spent = _weights(), 0, 0.0
    while True:
        left = spent + _gap(random) / _SECONDS
        while left > weights[half_hour % _HALF_HOURS]:
            left -= float(weights[half_hour % _HALF_HOURS])
            half_hour += 1
        spent = left
        yield (half_hour + spent / float(weights[half_hour % _HALF_HOURS])) * _SECONDS


def _gap(random: np.random.Generator) -> float:
    while True:
        log = random.gamma(*_ARRIVAL)
        if log <= _LONGEST_GAP_LOG:
            return math.exp(log)


def _weights() -> NDArray[np.float64]:
    """Return the weight of each half hour of a day, 1 on average; the busy part of a day begins late in the morning."""
    shape, scale = _DAY
    at = np.arange(_DAY_BEGINS, _DAY_BEGINS + _HALF_HOURS)
    # The density of the gamma distribution is smooth, so that a fine sample is exact enough.
    times = at[:, np.newaxis] + np.linspace(-0.5, 0.5, 101)
    density = np.exp((shape - 1) * np.log(times / scale) - times / scale).mean(axis=1)
    weights = np.zeros(_HALF_HOURS)
    weights[(at - 1) % _HALF_HOURS] = density / density.mean()
    return weights
