"""What planners know of run times, and what they expect."""

import numpy as np
import pytest

from builders.simulated import unowned
from lockstep.belief.run_times.overruns import OVERRUN_SHARE
from lockstep.simulation.machine import simulate
from lockstep.simulation.model.cluster import SimulatedDecision, Start
from lockstep.simulation.model.expected_run_times import ExpectedRunTimes
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.nodes import slowdowns_of
from lockstep.simulation.scenario import Scenario
from lockstep.simulation.workload.estimates import estimates
from lockstep.simulation.workload.lublin99 import lublin99
from lockstep.simulation.workload.malleable import Malleability
from lockstep.simulation.workload.rigid import RigidJob
from lockstep.simulation.workload.run_times import StatedRunTimes, stated_seconds

SECONDS = np.array([job.seconds for job in lublin99(5000, 128, np.random.default_rng(1))])
SAID = estimates(SECONDS, np.random.default_rng(2))
MINUTE, HOUR = 60, 3600


def scenario(**how):
    return Scenario(slowdowns=slowdowns_of("16"), count=60, load=0.8, malleability=Malleability(), **how)


def test_no_job_runs_longer_than_its_user_says():
    assert np.all(SAID >= SECONDS)


def test_users_say_few_round_values_and_the_longest_most_often():
    values, counts = np.unique(SAID, return_counts=True)

    assert len(values) == 20
    assert np.all(values % MINUTE == 0)
    assert {5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 48 * HOUR} <= set(values.tolist())
    assert values[counts.argmax()] == 48 * HOUR
    assert counts.max() / len(SAID) == pytest.approx(0.17, abs=0.02)


def test_nothing_but_what_is_enough_ties_what_users_say_to_run_times():
    short = SECONDS < MINUTE
    means = [SAID[some].mean() for some in (short & (SECONDS < 20), short & (SECONDS >= 20))]

    assert means[0] == pytest.approx(means[1], rel=0.15)


def test_longest_that_users_may_say_is_enough_for_the_longest_job():
    stated = estimates(np.array([50.0 * HOUR, 1.0]), np.random.default_rng(1))

    assert stated[0] == 60 * HOUR


def test_where_nothing_drawn_is_enough_a_user_says_the_next_round_value():
    stated = estimates(np.full(200, 47.5 * HOUR), np.random.default_rng(1))

    assert np.all(stated == 48 * HOUR)


def test_requests_of_a_log_are_accepted_and_the_others_drawn():
    jobs = [RigidJob(0, 1, 100.0, requested=250.0), RigidJob(0, 1, 100.0, requested=90.0), RigidJob(0, 1, 100.0)]

    stated = stated_seconds(jobs, StatedRunTimes.ESTIMATES, np.random.default_rng(1))

    assert stated[:2].tolist() == [250.0, 100.0]
    assert stated[2] >= 5 * MINUTE
    assert stated_seconds(jobs, StatedRunTimes.EXACT, np.random.default_rng(1)).tolist() == [100.0] * 3


def test_noise_is_twenty_percent_on_either_side():
    jobs = [RigidJob(0, 1, 100.0)] * 5000

    logs = np.log(100.0 / stated_seconds(jobs, StatedRunTimes.NOISE, np.random.default_rng(1)))

    assert logs.mean() == pytest.approx(0, abs=0.01)
    assert logs.std() == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("run_times", StatedRunTimes)
def test_users_say_the_same_of_all_runs_of_a_template(run_times):
    arrivals = scenario(run_times=run_times, templates=5).jobs(3)
    by_template = {}
    for one in arrivals:
        stated = one.job.times[one.job.size - 1]
        by_template.setdefault(one.job.template, []).append((stated, stated * one.ratio))

    assert len(by_template) == 5
    for runs in by_template.values():
        stated, really = np.array(runs).T
        assert np.unique(really.round(9)).size == len(runs)
        if run_times is StatedRunTimes.EXACT:
            assert stated == pytest.approx(really)
        else:
            assert stated == pytest.approx(stated[0])
        if run_times is StatedRunTimes.ESTIMATES:
            assert np.all(really <= stated * (1 + 1e-9))


@pytest.mark.parametrize("run_times", [StatedRunTimes.ESTIMATES, StatedRunTimes.NOISE])
def test_jobs_really_are_the_same_whatever_is_stated_of_them(run_times):
    exact, stated = scenario().jobs(3), scenario(run_times=run_times).jobs(3)

    assert [one.ratio for one in exact] == [1.0] * len(exact)
    assert [one.rigid_time for one in stated] == pytest.approx([one.rigid_time for one in exact])
    assert [one.job.submitted for one in stated] == [one.job.submitted for one in exact]
    assert any(one.ratio != 1.0 for one in stated)
    assert [one.ratio for one in stated] == [one.ratio for one in scenario(run_times=run_times).jobs(3)]


def test_owners_are_accepted_until_three_runs_have_ended():
    expected = ExpectedRunTimes(0.5)
    factors = []
    for ratio in (1.2, 1.4, 1.6, 1.8):
        expected.learn(None, ratio)
        factors.append(expected.factor(None))

    assert factors == pytest.approx([1.0, 1.0, 1.4, 1.6])


def test_the_last_fifty_runs_count_and_none_without_a_quantile():
    expected, none = ExpectedRunTimes(1.0), ExpectedRunTimes()
    for ratio in (9.0, *[2.0] * 50):
        expected.learn(None, ratio)
        none.learn(None, ratio)

    assert (expected.factor(None), none.factor(None)) == (2.0, 1.0)


def test_nothing_is_learned_of_one_template_from_runs_of_others():
    expected = ExpectedRunTimes(0.9)
    for template, ratio in [(1, 2.0), (2, 0.5)] * 3 + [(3, 9.0)]:
        expected.learn(template, ratio)

    assert [expected.factor(template) for template in (1, 2, 3, None)] == [2.0, 0.5, 1.0, 1.0]


class Watching:
    """Starts the first that waits where the one node is free, and remembers when each job was expected to end."""

    def __init__(self):
        self.expected = []

    def decide(self, cluster):
        self.expected += [(cluster.now, run.end) for run in cluster.running.values()]
        job = next(iter(cluster.waiting.values()))
        self.expected += [(cluster.now, cluster.now + cluster.run_time(job, [0]))] if cluster.free.any() else []
        return SimulatedDecision([Start(job, [0])] if cluster.free.any() else [])


def arrival(number, submitted, stated, really):
    job = Job(number=number, submitted=submitted, size=1, least=1, most=1, times=np.array([float(stated)]))
    return Arrival(job, really / stated)


def test_overrun_is_expected_to_end_a_twentieth_of_its_age_later_step_by_step():
    watching = Watching()

    runs = simulate([arrival(1, 0, 100, 107), arrival(2, 1, 10, 5)], unowned([1.0]), watching)

    first, second = 100 * (1 + OVERRUN_SHARE), 105 * (1 + OVERRUN_SHARE)
    assert np.array(watching.expected) == pytest.approx(
        np.array([(0, 100), (1, 100), (100, first), (first, second), (107, 117)])
    )
    assert [run.end for run in runs] == pytest.approx([107, 112])


def test_planners_expect_what_runs_have_shown():
    watching = Watching()
    arrivals = [arrival(number, 20 * number, 10, 12) for number in range(4)]

    simulate(arrivals, unowned([1.0]), watching, quantile=0.9)

    assert [end - now for now, end in watching.expected] == pytest.approx([10, 10, 10, 12])
