"""Policies side by side: each decides about the same jobs, for every seed and load."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context
from signal import SIG_IGN, SIGINT, signal
from typing import NamedTuple

from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import Measures
from lockstep.simulation.model.jobs import Arrival
from lockstep.simulation.policies.catalog import policies
from lockstep.simulation.scenario import Scenario

Load = float | None
"""The share of the nodes that rigid jobs would keep busy; None leaves the submission times as they are."""

Jobs = Mapping[tuple[Load, int], Sequence[Arrival]]
"""The jobs of every load and seed."""

Results = Mapping[str, Mapping[int, Measures]]
"""The measures of one load, by policy and then by seed."""


class Trial(NamedTuple):
    """One policy that decides about the jobs of one load and seed."""

    load: Load
    policy: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """The policies to compare, and their jobs; all policies that balance sizes use the same ``price_factor``."""

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
        """Let the policy of a trial decide; ``progress`` is called when a job ends. Raises ``NeverStartsError``."""
        policy = policies(self.price_factor)[trial.policy]()
        return self.scenario.run(trial.seed, jobs, policy, progress)


def run_all(
    comparison: Comparison,
    jobs: Jobs,
    processes: int,
    progress: Callable[[], None],
) -> Iterator[tuple[Trial, list[Ran]]]:
    """Run all trials, ``processes`` at a time; yield each trial with its runs, in the order of the trials."""
    trials = comparison.trials()
    if processes == 1:
        for trial in trials:
            yield trial, comparison.run(trial, jobs[trial.load, trial.seed], progress)
        return
    with _workers(comparison, jobs, processes) as pool:
        for trial, runs in zip(trials, pool.map(_run, trials), strict=True):
            for _ in runs:
                progress()
            yield trial, runs


@contextmanager
def _workers(comparison: Comparison, jobs: Jobs, processes: int) -> Iterator[ProcessPoolExecutor]:
    """Start the worker processes. If the caller is interrupted, such as by Ctrl-C, the processes end at once.

    A process gets the jobs at its start, not with each trial. Otherwise an interrupted pool would hang, since it would
    wait for ever to write more data than a pipe holds.
    """
    context, given = get_context("spawn"), (comparison, jobs)
    with ProcessPoolExecutor(processes, mp_context=context, initializer=_begin, initargs=given) as pool:
        try:
            yield pool
        except BaseException:
            for process in active_children():
                process.terminate()
            raise


_given: list[tuple[Comparison, Jobs]] = []
"""The comparison and the jobs of a worker process."""


def _begin(comparison: Comparison, jobs: Jobs) -> None:
    # Ctrl-C reaches all processes of a terminal; the parent process ends the workers.
    signal(SIGINT, SIG_IGN)
    _given.append((comparison, jobs))


def _run(trial: Trial) -> list[Ran]:
    [(comparison, jobs)] = _given
    return comparison.run(trial, jobs[trial.load, trial.seed])
