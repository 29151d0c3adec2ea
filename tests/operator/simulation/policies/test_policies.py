"""Which jobs start when, worked out by hand, and what holds of every policy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.simulated import unowned
from lockstep.simulation.machine import simulate
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.policies.catalog import policies

POLICIES = policies()


def job(number, submitted, size, seconds, *, least=None, most=None):
    """Describe a job whose work divides without loss; its size is rigid by default."""
    most = most or size
    times = size * seconds / np.arange(1, most + 1, dtype=np.float64)
    return Job(number=number, submitted=submitted, size=size, least=least or size, most=most, times=times)


def simulated(jobs, slowdowns, policy):
    """Run jobs that take as long as they are said to."""
    return simulate([Arrival(one) for one in jobs], unowned(slowdowns), POLICIES[policy]())


def ran(jobs, policy, nodes=4):
    """Return the start and size of every job, by number."""
    slowdowns = np.ones(nodes) if isinstance(nodes, int) else np.array(nodes)
    runs = simulated(jobs, slowdowns, policy)
    return {run.arrival.job.number: (run.start, run.size) for run in runs}


# On four nodes: job 1 leaves one of them, job 2 has to wait for it, 3 would delay job 2, 4 would not.
QUEUE = [job(1, 0, 3, 10), job(2, 1, 4, 10), job(3, 2, 1, 30), job(4, 3, 1, 5)]


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        pytest.param("fcfs", {1: 0, 2: 10, 3: 20, 4: 20}, id="no job passes"),
        pytest.param("easy", {1: 0, 2: 10, 3: 20, 4: 3}, id="jobs that do not delay the first pass"),
        pytest.param("conservative", {1: 0, 2: 10, 3: 20, 4: 3}, id="jobs that delay no other pass"),
        pytest.param("partial", {1: 0, 2: 32, 3: 2, 4: 10}, id="any job passes"),
    ],
)
def test_rigid_jobs(policy, want):
    assert {number: start for number, (start, _) in ran(QUEUE, policy).items()} == want


def test_backfill_may_run_on_beside_the_first_that_waits():
    # At 10 s job 2 takes three of the four nodes: the fourth is spare, for as long as you like.
    jobs = [job(1, 0, 3, 10), job(2, 1, 3, 10), job(3, 2, 1, 100), job(4, 3, 1, 100)]

    assert ran(jobs, "easy") == {1: (0, 3), 2: (10, 3), 3: (2, 1), 4: (20, 1)}


def test_range_takes_what_is_free_and_partial_admission_no_more_than_was_asked_for():
    jobs = [job(1, 0, 2, 10, least=1, most=4), job(2, 0, 4, 10, least=1, most=8)]

    assert ran(jobs, "slurm-range") == {1: (0, 4), 2: (5, 4)}
    assert ran(jobs, "partial") == {1: (0, 2), 2: (0, 2)}


def test_planner_chooses_sizes():
    jobs = [job(1, 0, 2, 10, least=1, most=4), job(2, 0, 2, 10, least=1, most=4)]

    assert ran(jobs, "fastest") == {1: (0, 4), 2: (5, 4)}
    assert ran(jobs, "fewest") == {1: (0, 1), 2: (0, 1)}


def test_balanced_jobs_leave_room_where_members_gain_little():
    times = np.array([10.0, 8.0, 7.0, 6.5])
    jobs = [Job(number=number, submitted=0, size=1, least=1, most=4, times=times) for number in (1, 2, 3, 4)]

    assert {size for _, size in ran(jobs, "balanced").values()} == {1}
    assert ran(jobs[:1], "balanced") == {1: (0, 4)}


def test_fastest_nodes_are_taken_first_and_the_slowest_sets_the_pace():
    slowdowns = np.array([0.5, 0.5, 1.0, 2.0])
    [run] = simulated([job(1, 0, 3, 10)], slowdowns, "easy")

    assert (list(run.nodes), run.end) == ([0, 1, 2], 10)


def test_blind_sizes_are_those_of_equal_nodes_on_the_fastest_that_are_free():
    # One node of five times the speed is worth more than all four at the pace of the others.
    jobs = [job(1, 0, 1, 12, least=1, most=4)]
    slowdowns = np.array([0.2, 1.0, 1.0, 1.0])

    [knowing], [blind] = (simulated(jobs, slowdowns, policy) for policy in ("balanced", "blind-fastest"))

    assert (list(knowing.nodes), knowing.end) == ([0], pytest.approx(2.4))
    assert (list(blind.nodes), blind.end) == ([0, 1, 2, 3], 3)


def test_blind_jobs_are_put_on_any_nodes_and_pay_for_the_slow_ones():
    slowdowns = np.repeat([0.5, 1.0], 8)
    jobs = [job(number, 0, 4, 10) for number in (1, 2)]

    blind, fastest = (simulated(jobs, slowdowns, policy) for policy in ("blind", "blind-fastest"))

    assert [run.end for run in blind] == [10, 10]
    assert [(list(run.nodes), run.end) for run in fastest] == [([0, 1, 2, 3], 5), ([4, 5, 6, 7], 5)]
    assert all(list(run.nodes) == sorted(run.nodes) for run in blind)


jobs_of_four_nodes = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 4), st.integers(1, 20), st.integers(1, 4)), min_size=1, max_size=8
).map(
    lambda described: [
        job(number, float(submitted), size, float(seconds), least=min(least, size), most=4)
        for number, (submitted, size, seconds, least) in enumerate(described, 1)
    ]
)


@pytest.mark.parametrize("policy", POLICIES)
@given(jobs=jobs_of_four_nodes)
@settings(max_examples=40)
def test_every_job_runs_once_on_nodes_of_its_own_with_a_size_that_it_may_have(policy, jobs):
    runs = simulated(jobs, np.ones(4), policy)

    assert sorted(run.arrival.job.number for run in runs) == sorted(one.number for one in jobs)
    assert [run.end for run in runs] == sorted(run.end for run in runs)
    for run in runs:
        job = run.arrival.job
        assert run.start >= job.submitted
        assert job.least <= run.size <= job.most
        assert run.end == run.start + job.times[run.size - 1]
        for other in runs:
            apart = other.end <= run.start or other.start >= run.end or not set(run.nodes) & set(other.nodes)
            assert other is run or apart
