"""What jobs are promised of their starts, and whether it was kept."""

import numpy as np

from builders.simulated import unowned
from lockstep.simulation.machine import simulate
from lockstep.simulation.model.cluster import SimulatedDecision, Start
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.promises import StartPromise
from lockstep.simulation.policies.catalog import policies

ALONE = unowned([1.0])


def arrival(number, submitted, seconds, *, really=None):
    """Describe a job of one member that is said to run so long, and by default really runs as long."""
    times = np.array([float(seconds)])
    job = Job(number=number, submitted=submitted, size=1, least=1, most=1, times=times)
    return Arrival(job, (really or seconds) / seconds)


class Scripted:
    """Starts the first that waits when the one node is free, and promises the others what the script says."""

    def __init__(self, *script):
        self.script = iter(script)

    def decide(self, cluster):
        first, *others = cluster.waiting.values()
        if not cluster.free.any():
            return SimulatedDecision((), [StartPromise(first, *next(self.script))])
        return SimulatedDecision([Start(first, [0])], [StartPromise(other, *next(self.script)) for other in others])


def test_first_promise_is_kept_and_every_promise_counts():
    # Job 2 gets a promise when it comes, and when 3 and 4 come.
    arrivals = [arrival(1, 0, 10), arrival(2, 1, 1)]
    middle = [arrival(number, 1 + number, 1e-6) for number in (3, 4)]
    script = Scripted((9, 14), (8, 12), (8, 13), (11, 11), (12, 12), (13, 13))

    by_number = {run.arrival.job.number: run for run in simulate([*arrivals, *middle], ALONE, script)}

    promises = by_number[2].promises
    assert (promises.likely, promises.promised, promises.earliest, promises.moved_later) == (9, 14, 12, 1)
    assert by_number[2].start == 10
    assert promises.is_kept_by(12)
    assert not promises.is_kept_by(12.1)
    assert by_number[1].promises is None


def test_planner_promises_its_planned_start_and_keeps_it_where_run_times_are_exact():
    arrivals = [arrival(1, 0, 10), arrival(2, 1, 5), arrival(3, 2, 5)]

    runs = simulate(arrivals, ALONE, policies()["conservative"]())

    assert [(run.start, run.promises and run.promises.promised) for run in runs] == [(0, None), (10, 10), (15, 15)]


def test_overrun_moves_a_promise_by_a_twentieth_at_a_time():
    # Job 1 is said to end at 100; at 100 it is expected to end at 105, and ends before.
    arrivals = [arrival(1, 0, 100, really=104), arrival(2, 1, 5)]

    [_, run] = simulate(arrivals, ALONE, policies()["conservative"]())

    assert (run.promises.promised, run.promises.last, run.start) == (100, 105, 104)
    assert run.promises.moved_later == 1
    assert not run.promises.is_kept_by(run.start)
