"""A sweep as gangs: the sizes that runs get, how many go at once, and what waits as one."""

import numpy as np
import pytest

from builders.simulated import unowned
from coschedule import RunTimeLaw, common_size
from lockstep.simulation.machine import simulate
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.policies.planned import PlannedPolicy
from lockstep.simulation.sweeps.gangs import GangPolicy, ran_as_gangs
from lockstep.simulation.sweeps.sweep import SimulatedSweep, StationCluster

TIMES = {1: 600.0, 2: 320.0, 4: 180.0}


def ran(policy, *, runs=6, replicas=6, places=8, alien=False, times=None):
    sweep = SimulatedSweep(
        ratios=[1.0] * runs,
        times=times or TIMES,
        replicas=replicas,
        clusters=[StationCluster(places, 1.0)],
        alien=alien,
    )
    return ran_as_gangs(sweep, policy, RunTimeLaw.EQUAL).runs


def ends(policy, **changes):
    return [run.end for run in ran(policy, **changes)]


def test_sizes_are_decided_anew_as_runs_end():
    """6 runs on 8 places: three turns of 4 members each need 540 s, the least. Then 4 runs with 2 each are sooner."""
    assert ends(GangPolicy.COMMON) == pytest.approx([180.0, 180.0, 500.0, 500.0, 500.0, 500.0])


def test_few_runs_have_more_members_each():
    """3 runs on 4 places: all at once with 1 member each need 600 s; in turn with 4 each they need 540 s at most."""
    assert ends(GangPolicy.COMMON, runs=3, places=4) == pytest.approx([180.0, 500.0, 500.0])


@pytest.mark.parametrize("replicas", [1, 2, 3])
def test_no_more_runs_go_at_once_than_may(replicas):
    runs = ran(GangPolicy.COMMON, replicas=replicas)

    assert max(sum(one.start <= run.start < one.end for one in runs) for run in runs) <= replicas


def test_no_gang_is_where_an_alien_program_is():
    """Of 8 nodes the program holds 4. On the other 4, the first turn has 2 members each, and the last has 1 each."""
    assert ends(GangPolicy.COMMON, alien=True) == ends(GangPolicy.COMMON, places=4)
    assert max(ends(GangPolicy.COMMON, alien=True)) == pytest.approx(920.0)


@pytest.mark.parametrize("runs", [1, 2, 5, 7, 12])
def test_deciding_anew_is_no_later_than_the_common_size_says(runs):
    best = common_size(TIMES, places=8, runs=runs)

    assert max(ends(GangPolicy.COMMON, runs=runs, replicas=runs)) <= best.finish


@pytest.mark.parametrize("policy", GangPolicy)
def test_other_jobs_keep_their_sizes_beside_a_sweep(policy):
    """Two jobs of 3 members come after 0 and 100 s, and the sweep after 50 s: it counts its times from there."""
    sweep = SimulatedSweep(ratios=[1.0] * 4, times=TIMES, replicas=4, clusters=[StationCluster(8, 1.0)], alien=False)
    others = [
        Arrival(Job(number=number, submitted=100.0 * number, size=3, least=3, most=3, times=np.full(3, 200.0)))
        for number in range(2)
    ]

    runs, beside = ran_as_gangs(sweep, policy, RunTimeLaw.EQUAL, others)

    assert sorted(run.number for run in runs) == list(range(4))
    assert min(run.start for run in runs) >= 0
    assert [one.size for one in beside] == [3, 3]
    assert min(one.start for one in beside) == 0


def test_separate_gangs_all_run():
    assert sorted(run.number for run in ran(GangPolicy.SEPARATE)) == list(range(6))


class Recorded:
    """A policy that records the price of a member-second at each decision."""

    def __init__(self):
        self.prices, self._policy = [], PlannedPolicy()

    def decide(self, cluster):
        self.prices.append(self._policy.snapshot(cluster).gangs[0].member_price)
        return self._policy.decide(cluster)


def first_price(sweeps):
    """Return the price when all jobs wait, each of the sweep that is given by number, or of none."""
    policy, times = Recorded(), np.array([100.0])
    jobs = [
        Job(number=number, submitted=0.0, size=1, least=1, most=1, times=times, sweep=sweep)
        for number, sweep in enumerate(sweeps)
    ]
    simulate([Arrival(job) for job in jobs], unowned([1.0] * 4), policy)
    return policy.prices[0]


def test_sweep_counts_once_in_the_price():
    assert first_price([0, 0, 0, 1, 1, None]) == first_price([None, None, None])
    assert first_price([0, 0, 0]) == 0 < first_price([None, None, None])
