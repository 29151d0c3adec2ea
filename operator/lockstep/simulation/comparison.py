"""Policies side by side: each decides about the same jobs, seed by seed and load by load."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from typing import NamedTuple

from lockstep.simulation.jobs import Arrival
from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import Measures
from lockstep.simulation.policies.catalog import policies
from lockstep.simulation.scenario import Scenario

Load = float | None
"""The part of the nodes that rigid jobs would keep busy; None where jobs come when they come."""

Results = Mapping[str, Mapping[int, Measures]]
"""What came of one load, by policy and then by seed."""


class Trial(NamedTuple):
    """One policy decides about the jobs of one seed."""

    load: Load
    policy: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Which policies decide about which jobs; the price factor is that of ``balanced`` and ``blind``."""

    scenario: Scenario
    loads: Sequence[Load]
    policies: Sequence[str]
    seeds: Sequence[int]
    price_factor: float

    def trials(self) -> list[Trial]:
        """List all trials, load by load and policy by policy."""
        return [Trial(load, policy, seed) for load in self.loads for policy in self.policies for seed in self.seeds]

    def jobs(self) -> dict[tuple[Load, int], list[Arrival]]:
        """Draw the jobs of every load and seed. Raises ``ScenarioError``."""
        return {
            (load, seed): replace(self.scenario, load=load).jobs(seed) for load in self.loads for seed in self.seeds
        }

    def run(self, trial: Trial, jobs: Sequence[Arrival], progress: Callable[[], None] = lambda: None) -> list[Ran]:
        """Let the policy of a trial decide; ``progress`` hears of each end. Raises ``NeverStartsError``."""
        policy = policies(self.price_factor)[trial.policy]()
        return self.scenario.run(trial.seed, jobs, policy, progress)


def run_all(
    comparison: Comparison,
    jobs: Mapping[tuple[Load, int], Sequence[Arrival]],
    processes: int,
    progress: Callable[[], None],
) -> Iterator[tuple[Trial, list[Ran]]]:
    """Run all trials, so many at a time, and return them in their order."""
    trials = comparison.trials()
    if processes == 1:
        for trial in trials:
            yield trial, comparison.run(trial, jobs[trial.load, trial.seed], progress)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        of_trials = [jobs[trial.load, trial.seed] for trial in trials]
        for trial, runs in zip(trials, pool.map(comparison.run, trials, of_trials), strict=True):
            for _ in runs:
                progress()
            yield trial, runs
