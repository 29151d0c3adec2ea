"""Policies for sweeps side by side: each gets the same runs, for every seed and number of replicas."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lockstep.simulation.machine import Ran
from lockstep.simulation.model.jobs import Arrival
from lockstep.simulation.model.speedup import downey
from lockstep.simulation.scenario import Scenario
from lockstep.simulation.sweeps.gangs import GangPolicy, ran_as_gangs
from lockstep.simulation.sweeps.replicas import ReplicaPolicy, replicated
from lockstep.simulation.sweeps.sweep import RunOfSweep, RunSpread, SimulatedSweep, StationCluster
from lockstep.simulation.workload.malleable import Malleability

# The key of random numbers for the speed-up. Runs use the seed without a key.
_SPEEDUP = 1
# Bounds of Downey's parallelism, as parts of the nodes, and of his sigma.
_PARALLELISM, _SIGMA = (1 / 16, 1 / 2), (0.0, 2.0)


class SweepMeasures(NamedTuple):
    """The measures of one sweep; ``turnaround`` is the end of the last run that counts, in s.

    ``alone`` is the time that the runs that count would take one after the other. Each would have the mean length and
    the smallest size, on nodes of speed 1. ``speedup`` is ``alone`` / ``turnaround``. The speed-up of a replica is
    ``alone`` divided by the end of the replica's last run. ``mean_of_replicas`` and ``most_of_replicas`` are the mean
    and the largest of these, nan for gangs. ``counted`` is the mean time of the runs that count, divided by the mean of
    the distribution of run times. ``others`` is the mean turnaround of other jobs, in s.
    """

    turnaround: float
    speedup: float
    mean_of_replicas: float
    most_of_replicas: float
    counted: float
    others: float


SweepResults = Mapping[str, Mapping[int, SweepMeasures]]
"""The measures of one number of replicas, by policy and then by seed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepComparison:
    """Policies to compare on ``runs`` runs, of which ``first`` count.

    The policies of the thesis [C] begin only the first runs, in their order. Gangs begin all runs, and the runs that
    end first count. ``times`` are in s by size, on nodes of speed 1. With a ``serial_time``, one member takes this time
    in s. The speed-up of each seed is then drawn by Downey's model, for every size up to the number of nodes.

    ``among`` is the number of other jobs that compete with the gangs; a workload model draws these jobs. As rigid jobs,
    they alone would keep the part ``load`` of the nodes busy.
    """

    runs: int
    first: int
    spread: RunSpread
    clusters: Sequence[StationCluster]
    times: Mapping[int, float]
    serial_time: float | None
    alien: bool
    policies: Sequence[ReplicaPolicy | GangPolicy]
    among: int = 0
    load: float = 0.5

    def results(self, replicas: int, seeds: Sequence[int]) -> SweepResults:
        """Measure each policy with this number of replicas, for every seed."""
        return {
            policy.value: {seed: self._measured(policy, replicas, seed) for seed in seeds} for policy in self.policies
        }

    def _measured(self, policy: ReplicaPolicy | GangPolicy, replicas: int, seed: int) -> SweepMeasures:
        sweep, others = self._sweep(replicas, seed), math.nan
        if isinstance(policy, GangPolicy):
            ran, beside = ran_as_gangs(sweep, policy, self.spread.law, self._others(seed))
            ran, others = ran[: self.first], _mean_turnaround(beside)
        else:
            ran = replicated(replace(sweep, ratios=sweep.ratios[: self.first]), policy)
        alone = self.first * sweep.times[min(sweep.times)]
        last = [alone / end for end in _last_ends(ran)] if isinstance(policy, ReplicaPolicy) else [math.nan]
        turnaround = max(run.end for run in ran)
        counted = float(np.mean([sweep.ratios[run.number] for run in ran]))
        return SweepMeasures(turnaround, alone / turnaround, float(np.mean(last)), max(last), counted, others)

    def _sweep(self, replicas: int, seed: int) -> SimulatedSweep:
        return SimulatedSweep(
            ratios=self.spread.drawn(self.runs, np.random.default_rng(seed)),
            times=self._times(seed),
            replicas=replicas,
            clusters=self.clusters,
            alien=self.alien,
        )

    def _others(self, seed: int) -> Sequence[Arrival]:
        if not self.among:
            return ()
        slowdowns = np.sort([1 / cluster.speed for cluster in self.clusters for _ in range(cluster.places)])
        scenario = Scenario(slowdowns=slowdowns, count=self.among, load=self.load, malleability=Malleability())
        return scenario.jobs(seed)

    def _times(self, seed: int) -> Mapping[int, float]:
        if self.serial_time is None:
            return self.times
        random, places = np.random.default_rng([seed, _SPEEDUP]), sum(cluster.places for cluster in self.clusters)
        parallelism = max(1.0, places * random.uniform(*_PARALLELISM))
        speedups = downey(places, parallelism, random.uniform(*_SIGMA)).tolist()
        return {size: self.serial_time / speedup for size, speedup in enumerate(speedups, 1)}


def _mean_turnaround(ran: Sequence[Ran]) -> float:
    return float(np.mean([one.end - one.submitted for one in ran])) if ran else math.nan


def _last_ends(ran: Sequence[RunOfSweep]) -> list[float]:
    ends: dict[int, float] = {}
    for run in ran:
        ends[run.replica] = max(run.end, ends.get(run.replica, 0.0))
    return list(ends.values())
