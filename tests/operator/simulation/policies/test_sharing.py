"""Groups that share the nodes of a simulation."""

from dataclasses import replace

import numpy as np
import pytest

from builders.simulated import unowned
from coschedule import Promises
from engine.builders import seeded
from lockstep.cycle.planning.memory import PlanMemory
from lockstep.simulation.group_measures import share_index, worst_group
from lockstep.simulation.machine import Ran, simulate
from lockstep.simulation.model.jobs import Arrival, Job, JobGroup
from lockstep.simulation.policies.planned import PlannedPolicy
from lockstep.simulation.policies.sharing import SimulatedSharing
from lockstep.simulation.scenario import Scenario
from lockstep.simulation.workload.groups import DemandingGroup, GroupsError, drawn_groups, parse_groups
from lockstep.simulation.workload.malleable import Malleability
from lockstep.simulation.workload.rigid import RigidJob
from lockstep.simulation.workload.swf import read_log

A, B = JobGroup(0, 1), JobGroup(1, 1)


def job(number, group, *, submitted=0.0, size=4, seconds=100.0):
    times = size * seconds / np.arange(1, size + 1, dtype=np.float64)
    return Job(number=number, submitted=submitted, size=size, least=size, most=size, times=times, group=group)


def fair(**how):
    return PlannedPolicy(sharing=SimulatedSharing(**how), memory=PlanMemory(Promises.SLACK))


def starts(jobs, policy):
    runs = simulate([Arrival(one) for one in jobs], unowned(np.ones(4)), policy)
    return {run.arrival.job.number: run.start for run in runs}


def test_group_that_comes_later_has_its_turn_before_the_rest_of_a_long_queue():
    """Each job needs all nodes. The first group has promises, in whose slack the next job of the other starts."""
    crowd = [job(number, A) for number in range(22)]
    jobs = [*crowd, *(job(100 + number, B, submitted=150.0, seconds=20.0) for number in range(2))]
    started = starts(jobs, fair())

    assert started[100] == 200.0
    assert any(started[one.number] > started[101] for one in crowd), "it comes behind the promises"
    alone = starts([replace(one, group=None) for one in jobs], PlannedPolicy(memory=PlanMemory(Promises.CONSERVATIVE)))
    assert alone[100] == max(alone[one.number] for one in crowd) + 100.0


def test_start_that_is_planned_far_behind_is_no_promise_and_promises_are_kept():
    crowd = [job(number, A) for number in range(22)]
    jobs = [*crowd, *(job(100 + number, B, submitted=150.0, seconds=20.0) for number in range(6))]

    runs = simulate([Arrival(one) for one in jobs], unowned(np.ones(4)), fair())

    promised = [run for run in runs if run.promises is not None]
    assert len(promised) > 10
    assert all(run.promises.is_kept_by(run.start) and not run.promises.moved_later for run in promised)


@pytest.mark.parametrize("prices_use", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_every_job_ends_whatever_its_group_has_used(seed, prices_use):
    rnd = seeded(seed)
    groups = [JobGroup(0, 1), JobGroup(1, 50), JobGroup(2, 1000)]
    jobs = [
        job(number, rnd.choice(groups), submitted=float(rnd.randrange(400)), size=rnd.choice([1, 2, 4]), seconds=40.0)
        for number in range(14)
    ]

    assert starts(jobs, fair(prices_use=prices_use)).keys() == {one.number for one in jobs}


def test_groups_are_drawn_by_their_parts_and_a_seed_gives_the_same():
    scenario = Scenario(
        slowdowns=np.ones(16), count=400, load=None, malleability=Malleability(), groups=parse_groups("3@0.25,1@0.75")
    )
    drawn = [one.job.group for one in scenario.jobs(1)]

    assert drawn == [one.job.group for one in scenario.jobs(1)]
    assert set(drawn) == {JobGroup(0, 3), JobGroup(1, 1)}
    assert sum(one.number == 0 for one in drawn) == pytest.approx(100, abs=35)


def test_jobs_of_a_log_are_in_the_group_of_their_group_or_user():
    line = "{} {} 0 10 2 -1 -1 2 20 -1 1 {} {} 1 -1 -1 -1 -1"
    users = [(1, -1), (1, -1), (2, 7), (3, 7), (4, -1)]
    log = read_log(line.format(number, number, *one) for number, one in enumerate(users, 1))
    drawn = drawn_groups(log.jobs, [DemandingGroup(1, 0.5), DemandingGroup(2, 0.5)], np.random.default_rng(3))

    assert [one.group for one in log.jobs] == [None, None, 7, 7, None]
    assert drawn[0] == drawn[1]
    assert drawn[2] == drawn[3]
    assert drawn_groups([RigidJob(0.0, 1, 1.0)], (), np.random.default_rng(3)) == [None]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("3", "is not a weight and part"),
        ("0@1", "is not a weight"),
        ("1@0.5", "add up to 0.5, not to 1"),
        (",".join(["1@0.1"] * 65), "65"),
    ],
)
def test_groups_that_make_no_sense_are_refused(text, says):
    with pytest.raises(GroupsError, match=says):
        parse_groups(text)


def run(group, submitted, start, end, size):
    return Ran(Arrival(job(1, group, submitted=submitted)), range(size), start, end, None)


def test_worst_group_is_over_the_mean_of_all():
    runs = [run(A, 0, 0, 1, 1), run(A, 0, 0, 1, 1), run(B, 0, 0, 1, 1)]

    assert worst_group(runs, [1.0, 3.0, 8.0]) == pytest.approx(8.0 / 4.0)
    assert np.isnan(worst_group([run(None, 0, 0, 1, 1)], [1.0]))


def test_share_index_compares_nodes_while_groups_are_in_want():
    # From 0 to 10 both wait: A holds 3 nodes then, B 1. Before and after only one of them waits.
    held = [run(A, -20, -20, 20, 3), run(B, -20, -20, 20, 1)]
    in_want = [run(A, -5, 10, 30, 1), run(B, 0, 15, 30, 1)]

    assert share_index([*held, *in_want]) == pytest.approx(4**2 / (2 * (3**2 + 1**2)))
    heavy = JobGroup(0, 3)
    weighted = [run(heavy, -20, -20, 20, 3), held[1], run(heavy, -5, 10, 30, 1), in_want[1]]
    assert share_index(weighted) == pytest.approx(1.0)
    assert np.isnan(share_index(held))
