"""A sweep in a simulation: its runs, their run times, and the clusters on which they may run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

import numpy as np

from coschedule import RunTimeLaw

_NOISE = 0.2


class RunSpread(StrEnum):
    """How far the run times of a sweep are from their mean."""

    EQUAL = "equal"
    NOISE = "noise"
    EXPONENTIAL = "exponential"

    @property
    def law(self) -> RunTimeLaw:
        """The law by which a common size is chosen; run times that are 20 % off count as equal."""
        match self:
            case RunSpread.EQUAL | RunSpread.NOISE:
                return RunTimeLaw.EQUAL
            case RunSpread.EXPONENTIAL:
                return RunTimeLaw.EXPONENTIAL
            case _:
                assert_never(self)

    def drawn(self, runs: int, random: np.random.Generator) -> list[float]:
        """Draw the real time of each run, in units of the mean run time."""
        match self:
            case RunSpread.EQUAL:
                return [1.0] * runs
            case RunSpread.NOISE:
                drawn = random.lognormal(-(_NOISE**2) / 2, _NOISE, runs)
            case RunSpread.EXPONENTIAL:
                drawn = random.exponential(1.0, runs)
            case _:
                assert_never(self)
        return [float(one) for one in drawn]


class StationCluster(NamedTuple):
    """A number of nodes of one speed; each node takes one member."""

    places: int
    speed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSweep:
    """Runs that begin in their order, at most ``replicas`` at a time.

    A run of P members takes ``times[P]`` s on average, on nodes of speed 1. Run i takes ``ratios[i]`` times as long. If
    there is an ``alien``, another user's program competes on the first cluster like one more replica, and never ends.
    """

    ratios: Sequence[float]
    times: Mapping[int, float]
    replicas: int
    clusters: Sequence[StationCluster]
    alien: bool = False

    @property
    def clusters_of_speeds(self) -> list[StationCluster]:
        """The clusters, with clusters of the same speed joined: a run may have members in several of them."""
        places: dict[float, int] = {}
        for cluster in self.clusters:
            places[cluster.speed] = places.get(cluster.speed, 0) + cluster.places
        return [StationCluster(count, speed) for speed, count in places.items()]


class RunOfSweep(NamedTuple):
    """Run ``number`` was done by ``replica``, from ``start`` to ``end``, in s."""

    number: int
    replica: int
    start: float
    end: float
