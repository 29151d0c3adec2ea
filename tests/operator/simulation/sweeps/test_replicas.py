"""The thesis' policies on sweeps, beside the numbers and sentences of [C] 7.4.5 and a slower way to the same seats."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.simulation.sweeps.replicas import ReplicaPolicy, replicated
from lockstep.simulation.sweeps.seats import seats
from lockstep.simulation.sweeps.sweep import RunSpread, SimulatedSweep, StationCluster

SA, DA, DAC = ReplicaPolicy
# [C] table 4.9: seconds of 0.2 million time units with 1, 3 and 9 workstations; a run has half a million.
TIMES = {1: 553 * 2.5, 3: 223 * 2.5, 9: 92 * 2.5}
TWO_CLUSTERS = (StationCluster(24, 1.0), StationCluster(24, 1.0))
TWO_SPEEDS = (StationCluster(30, 1.0), StationCluster(6, 3.0))


def ran(policy, replicas, *, runs=10, ratios=None, clusters=TWO_CLUSTERS, alien=False, length=1.0):
    times = {size: length * seconds for size, seconds in TIMES.items()}
    sweep = SimulatedSweep(
        ratios=ratios or [1.0] * runs, times=times, replicas=replicas, clusters=clusters, alien=alien
    )
    return replicated(sweep, policy)


def turnaround(policy, replicas, **changes):
    return max(run.end for run in ran(policy, replicas, **changes))


@pytest.mark.parametrize("replicas", [1, 2, 3, 4])
def test_static_and_dynamic_assignment_are_alike_until_there_are_five_replicas(replicas):
    """Figure 7.8: "similar until the number of RPSs becomes five"."""
    assert turnaround(SA, replicas) == pytest.approx(turnaround(DA, replicas))


def test_five_replicas_gain_by_nodes_of_the_other_cluster():
    """Figure 7.8: "not enough workstations for all the RPSs to split to the highest partitioning level"."""
    assert turnaround(DA, 5) == pytest.approx(2 * TIMES[9])
    assert turnaround(SA, 5) > 1.4 * turnaround(DA, 5)


def test_two_of_four_replicas_do_one_more_of_ten_runs():
    """Figure 7.8: the discrepancy of the speed-ups is great with four, as two replicas perform one more run."""
    done = [run.replica for run in ran(SA, 4)]

    assert sorted(done.count(replica) for replica in range(4)) == [2, 2, 3, 3]
    assert max(run.end for run in ran(SA, 4)) == pytest.approx(3 * TIMES[9])
    assert sum(run.end > 2.5 * TIMES[9] for run in ran(SA, 4)) == 2


def test_dynamic_assignment_saves_more_of_longer_and_of_more_runs():
    """Figure 7.9: the benefit increases when the simulation time is lengthened. Figure 7.10: it grows with runs too."""

    def saved(**changes):
        return turnaround(SA, 5, **changes) - turnaround(DA, 5, **changes)

    by_length = [saved(length=length) for length in (0.5, 1, 1.5, 2)]
    assert by_length == sorted(by_length)
    assert by_length[0] > 0
    assert [saved(runs=runs) > 0 for runs in (5, 10, 20, 30)] == [True] * 4
    assert saved(runs=30) > saved(runs=5)


def test_an_alien_program_hurts_three_static_replicas_and_no_dynamic_ones():
    """Figure 7.11: static assignment drops at three; "one of the RPSs" migrates under dynamic assignment."""
    assert turnaround(SA, 2, alien=True) == pytest.approx(turnaround(DA, 2, alien=True))
    assert turnaround(SA, 3, alien=True) > turnaround(SA, 3)
    assert turnaround(DA, 3, alien=True) == pytest.approx(turnaround(DA, 3))


def test_five_replicas_and_an_alien_program_overcrowd_both_clusters():
    """Figure 7.11: "when the number of RPSs is greater than or equal to five, both clusters become overcrowded"."""
    assert turnaround(DA, 5, alien=True) > turnaround(DA, 5)
    assert turnaround(DA, 5, alien=True) == pytest.approx(turnaround(SA, 5, alien=True))


def test_in_a_coalition_replicas_run_on_the_fast_cluster_in_turn():
    """Figures 7.12 and 7.13: the earliest begun of three moves to the fast cluster, which takes two at level one."""
    constant, in_turn = (ran(policy, 3, runs=9, clusters=TWO_SPEEDS) for policy in (DA, DAC))

    def most_and_least(runs):
        done = [run.replica for run in runs]
        return max(map(done.count, range(3))) - min(map(done.count, range(3)))

    assert most_and_least(in_turn) <= most_and_least(constant)
    assert turnaround(DAC, 3, runs=9, clusters=TWO_SPEEDS) < turnaround(DA, 3, runs=9, clusters=TWO_SPEEDS)


def test_coalition_can_end_later_than_dynamic_assignment():
    """Erratum 8f: with ten runs the coalition loses what it wins with nine."""
    assert turnaround(DAC, 3, runs=10, clusters=TWO_SPEEDS) > turnaround(DA, 3, runs=10, clusters=TWO_SPEEDS)


clusters = st.lists(st.builds(StationCluster, st.integers(1, 9), st.sampled_from([1.0, 2.0])), min_size=1, max_size=2)


@given(clusters, st.integers(1, 5))
def test_seats_fit_and_the_smallest_is_as_large_as_it_can_be(given_clusters, claims):
    times = {1: 8.0, 2: 5.0, 4: 3.0}

    divided = seats(claims, given_clusters, times)

    for index, cluster in enumerate(given_clusters):
        assert sum(seat.size for seat in divided if seat.cluster == index) <= cluster.places
    assert len(divided) == min(claims, sum(cluster.places for cluster in given_clusters))
    slowest = min(seat.rate for seat in divided)
    common = [size for size in times if sum(one.places // size for one in given_clusters) >= len(divided)]
    assert slowest >= min(one.speed for one in given_clusters) / times[max(common)]


def best_for_the_first(claims, given_clusters, times, common):
    """The largest rate of the first that leaves the common size to all others, by trying all seats of all."""
    options = [(index, size) for index in range(len(given_clusters)) for size in times]
    fitting = [
        chosen
        for chosen in product(options, repeat=claims)
        if all(size == common for _, size in chosen[1:])
        and all(
            sum(size for index, size in chosen if index == at) <= cluster.places
            for at, cluster in enumerate(given_clusters)
        )
    ]
    return max(given_clusters[chosen[0][0]].speed / times[chosen[0][1]] for chosen in fitting)


@given(clusters, st.integers(1, 4))
def test_first_seat_is_the_fastest_that_leaves_the_common_size_to_all_others(given_clusters, claims):
    times = {1: 8.0, 2: 5.0, 4: 3.0}
    claims = min(claims, sum(cluster.places for cluster in given_clusters))
    common = max(size for size in times if sum(one.places // size for one in given_clusters) >= claims)

    assert seats(claims, given_clusters, times)[0].rate == best_for_the_first(claims, given_clusters, times, common)


@given(st.sampled_from(ReplicaPolicy), st.integers(1, 12), st.integers(0, 5), st.sampled_from(RunSpread))
def test_every_run_ends_once_and_starts_in_its_order(policy, replicas, seed, spread):
    ratios = spread.drawn(12, np.random.default_rng(seed))

    runs = sorted(ran(policy, replicas, ratios=ratios), key=lambda run: run.number)

    assert [run.number for run in runs] == list(range(12))
    assert [run.start for run in runs] == sorted(run.start for run in runs)
    for run in runs:
        busy = [other for other in runs if other.start <= run.start < other.end]
        assert len(busy) <= replicas
        assert run.end - run.start >= ratios[run.number] * TIMES[9] * (1 - 1e-9)


def test_more_replicas_than_nodes_wait_for_a_seat():
    assert turnaround(DA, 4, runs=4, clusters=(StationCluster(2, 1.0),)) == pytest.approx(2 * TIMES[1])
