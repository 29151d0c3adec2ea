"""The bound is below every schedule: compared with all schedules of tiny cases, and with policies."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.simulation.bound import least_mean_turnaround
from lockstep.simulation.model.jobs import Arrival, Job

NODES = 3


def arrival(number, submitted, times, ratio=1.0):
    """Describe a job that may have any size from 1 to as many as there are times."""
    job = Job(
        number=number, submitted=float(submitted), size=1, least=1, most=len(times), times=np.array(times, dtype=float)
    )
    return Arrival(job, ratio)


def best_total(arrivals):
    """The least sum of turnarounds of all schedules that change sizes at whole seconds, by trying all of them."""
    states = {tuple(Fraction(0) for _ in arrivals): Fraction(0)}
    best, now = one_after_the_other(arrivals), 0
    while states:
        following = {}
        for done, spent in states.items():
            open_jobs = [n for n, one in enumerate(arrivals) if done[n] < 1 and one.job.submitted <= now]
            for sizes in product(*(range(arrivals[n].job.most + 1) for n in open_jobs)):
                if sum(sizes) <= NODES:
                    after, cost = list(done), spent
                    for n, size in zip(open_jobs, sizes, strict=True):
                        speed = 1 / Fraction(arrivals[n].job.times[size - 1]) if size else Fraction(0)
                        cost += min(Fraction(1), (1 - done[n]) / speed) if speed else 1
                        after[n] = min(Fraction(1), done[n] + speed)
                    if cost < best:
                        key = tuple(after)
                        following[key] = min(cost, following.get(key, float("inf")))
        finished = [cost for done, cost in following.items() if min(done) == 1]
        best = min([best, *finished])
        states = {done: cost for done, cost in following.items() if min(done) < 1 and cost < best}
        now += 1
    return best


def one_after_the_other(arrivals):
    """The sum of turnarounds if each job has its shortest run time, in the order of their submissions."""
    total, now = 0.0, 0.0
    for one in sorted(arrivals, key=lambda one: one.job.submitted):
        now = np.ceil(max(now, one.job.submitted)) + float(one.job.times.min())
        total += now - one.job.submitted
    return total


tiny = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([(2, 1), (3, 2, 1), (4, 2, 2), (1,), (4, 3)])), min_size=1, max_size=3
).map(lambda described: [arrival(number, *one) for number, one in enumerate(described)])


@given(arrivals=tiny)
@settings(max_examples=20, deadline=None)
def test_no_schedule_of_a_tiny_case_is_below_the_bound(arrivals):
    bound = least_mean_turnaround(arrivals, np.ones(NODES)) * len(arrivals)

    assert bound <= best_total(arrivals) + 1e-6


def test_a_job_alone_takes_its_shortest_run_time():
    assert least_mean_turnaround([arrival(1, 5, (8, 4, 2), ratio=2.0)], np.full(NODES, 0.5)) == pytest.approx(2)


def test_jobs_that_want_the_same_nodes_are_not_both_as_fast_as_alone():
    both = [arrival(number, 0, (300, 150, 100)) for number in range(2)]

    bound = least_mean_turnaround(both, np.ones(NODES))

    # One after the other is the best: 100 s and 200 s.
    assert 130 < bound <= 150
