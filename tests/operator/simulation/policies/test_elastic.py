"""Jobs that change their sizes while they run: what a change takes, and what holds of every one of them."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.simulated import unowned
from coschedule import ChangeTerms
from lockstep.simulation.machine import simulate
from lockstep.simulation.measures import measured
from lockstep.simulation.model.cluster import SimulatedDecision, Start
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.policies.catalog import policies

HOUR = 3600.0
CHANGING = ["elastic", "by-progress"]
QUICK = ChangeTerms(restart_time=100.0, min_interval=600.0)


def job(number, submitted, work, *, least=1, most=4, elastic=True):
    """Describe a job whose work, in seconds of one member, divides without loss."""
    times = work / np.arange(1, most + 1, dtype=np.float64)
    return Job(number=number, submitted=submitted, size=least, least=least, most=most, times=times, is_elastic=elastic)


def simulated(jobs, policy="elastic", *, slowdowns=4, ratio=1.0, terms=QUICK):
    nodes = unowned(np.ones(slowdowns) if isinstance(slowdowns, int) else np.array(slowdowns))
    decides = policies()[policy]() if isinstance(policy, str) else policy
    return simulate([Arrival(one, ratio) for one in jobs], nodes, decides, changing=terms)


class Scripted:
    """Starts all jobs on the first nodes, and gives the first one that runs these nodes when a job has come later."""

    def __init__(self, first, then):
        self.first, self.then = first, then

    def decide(self, cluster):
        if not cluster.running:
            return SimulatedDecision([Start(one, self.first) for one in cluster.waiting.values()])
        changes = [Start(one.job, self.then) for one in cluster.running.values() if not math.isfinite(one.changed)]
        return SimulatedDecision(
            [Start(one, [3]) for one in cluster.waiting.values()], changes=changes if cluster.waiting else []
        )


@pytest.mark.parametrize("ratio", [1.0, 1.5])
def test_after_a_change_a_job_pauses_and_does_what_is_left(ratio):
    # Of 4,000 s on one node a quarter is over at 1,000 s; three nodes need 1,000 s for the rest.
    runs = simulated([job(1, 0, 4_000), job(2, 1_000, 10)], Scripted([0], [0, 1, 2]), ratio=ratio)

    [run] = [run for run in runs if run.arrival.job.number == 1]
    left = 1 - 1_000 / (4_000 * ratio)
    assert run.end == pytest.approx(1_000 + QUICK.restart_time + left * 4_000 * ratio / 3)
    assert [(one.nodes, one.start, one.end, one.resized) for one in run.earlier] == [([0], 0, 1_000, True)]
    assert (run.start, run.first_start, run.size) == (1_000, 0, 3)


def test_the_slowest_node_sets_the_pace_after_a_change_too():
    jobs = [job(1, 0, 4_000), job(2, 1_000, 10)]
    runs = simulated(jobs, Scripted([0], [0, 1, 2]), slowdowns=[1.0, 1.0, 2.0, 2.0])

    assert max(run.end for run in runs) == pytest.approx(1_000 + QUICK.restart_time + 2 * 3_000 / 3)


def test_changes_are_measured_and_are_no_interruptions():
    runs = simulated([job(1, 0, 4_000), job(2, 1_000, 10)], Scripted([0], [0, 1, 2]))

    measures = measured(runs, 4)
    assert (measures.changes, measures.interruptions, measures.work_lost) == (0.5, 0, 0)
    assert measures.utilisation == pytest.approx((1_000 + 3 * 1_100 + 10) / (4 * 2_100))


def test_a_job_grows_when_another_one_ends():
    jobs = [job(1, 0, 20_000, least=2, most=2), job(2, 0, 4 * 20 * HOUR)]

    grown, as_before = (simulated(jobs, policy) for policy in ("elastic", "lockstep"))

    assert [one.resized for one in grown[-1].earlier] == [True]
    assert grown[-1].size == 4
    assert grown[-1].end < as_before[-1].end


def test_a_job_shrinks_again_as_soon_as_its_interval_is_over():
    jobs = [job(1, 0, 4 * 20 * HOUR), job(2, 1_000, 2 * HOUR, most=1), job(3, 1_200, HOUR, most=1)]
    starts = {run.arrival.job.number: run.first_start for run in simulated(jobs)}

    assert starts == {1: 0, 2: 1_000, 3: 1_000 + QUICK.min_interval}


def test_without_run_times_a_job_gives_a_part_of_its_nodes_to_one_that_comes_and_gets_them_back():
    jobs = [job(1, 0, 40 * HOUR), job(2, HOUR, 4 * HOUR)]

    [second, first] = simulated(jobs, "by-progress")

    assert [len(stretch.nodes) for stretch in stretches(first)] == [4, 2, 4]
    assert (second.start, second.size) == (pytest.approx(HOUR), 2)


def test_without_run_times_a_job_that_was_slower_with_more_members_gets_no_more():
    times = np.array([40 * HOUR, 20 * HOUR, 30 * HOUR, 30 * HOUR])
    peaks = replace(job(1, 0, 1), times=times)
    jobs = [peaks, job(2, HOUR, 4 * HOUR)]

    [_, first] = simulated(jobs, "by-progress")

    sizes = [len(stretch.nodes) for stretch in stretches(first)]
    assert (sizes[0], max(sizes[1:]), sizes[-1]) == (4, 2, 2)


def test_without_elastic_jobs_everything_is_as_without_changes():
    random = np.random.default_rng(1)
    jobs = [
        job(number, float(number * 500), float(random.integers(100, 40_000)), elastic=False) for number in range(1, 16)
    ]

    assert ends(simulated(jobs)) == ends(simulated(jobs, "lockstep"))


def ends(runs):
    return {run.arrival.job.number: (run.start, run.end, list(run.nodes)) for run in runs}


elastic_jobs = st.lists(
    st.tuples(
        st.integers(0, 20_000),
        st.sampled_from([60, 5_000, 30_000, 90_000]),
        st.integers(1, 4),
        st.integers(0, 3),
        st.booleans(),
    ),
    min_size=1,
    max_size=10,
).map(
    lambda described: [
        job(number, float(at), float(work), least=least, most=min(4, least + more), elastic=elastic)
        for number, (at, work, least, more, elastic) in enumerate(described, 1)
    ]
)


@pytest.mark.parametrize("policy", CHANGING)
@given(jobs=elastic_jobs, slowdowns=st.sampled_from([[1.0] * 4, [0.5, 1.0, 1.0, 2.0]]))
@settings(max_examples=40, deadline=None)
def test_all_work_is_done_on_nodes_of_its_own_with_allowed_sizes_and_every_promise_is_kept(policy, jobs, slowdowns):
    runs = simulated(jobs, policy, slowdowns=slowdowns)

    assert all(done(run, slowdowns) == pytest.approx(1) for run in runs)
    assert all(run.promises is None or run.promises.is_kept_by(run.first_start) for run in runs)
    check_nodes(runs)


@pytest.mark.parametrize("policy", CHANGING)
@pytest.mark.parametrize("ratio", [0.8, 1.25])
@given(jobs=elastic_jobs)
@settings(max_examples=20, deadline=None)
def test_all_work_is_done_on_nodes_of_its_own_though_run_times_are_wrong(policy, ratio, jobs):
    runs = simulated(jobs, policy, ratio=ratio)

    assert [done(run, [1.0] * 4) for run in runs] == [pytest.approx(ratio)] * len(jobs)
    check_nodes(runs)


def done(run, slowdowns):
    """The work that a job has done, in parts of what its run times say, with sizes that it may have."""
    job, parts = run.arrival.job, 0.0
    for number, stretch in enumerate(stretches(run)):
        assert job.least <= len(stretch.nodes) <= job.most
        assert number == 0 or job.is_elastic
        pace = max(slowdowns[node] for node in stretch.nodes)
        worked = max(0.0, stretch.end - stretch.start - (QUICK.restart_time if number else 0.0))
        parts += worked / (job.times[len(stretch.nodes) - 1] * pace)
    return parts


def check_nodes(runs):
    """Check that no node has two jobs at a time."""
    held = [stretch for run in runs for stretch in stretches(run)]
    for index, one in enumerate(held):
        for other in held[:index]:
            assert one.end <= other.start or other.end <= one.start or not set(one.nodes) & set(other.nodes)


@pytest.mark.parametrize("policy", CHANGING)
@given(jobs=elastic_jobs)
@settings(max_examples=20, deadline=None)
def test_no_job_changes_more_often_than_its_interval_allows(policy, jobs):
    for run in simulated([replace(one, is_elastic=True) for one in jobs], policy):
        changes = [stretch.start for stretch in stretches(run)][1:]
        assert all(later - earlier >= QUICK.min_interval for earlier, later in pairwise(changes))


def stretches(run):
    """The sizes that a run had, one after the other."""
    return [*run.earlier, run]
