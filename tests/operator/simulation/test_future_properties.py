"""No policy sees the future, and what it decides is the same each time."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.simulated import unowned
from lockstep.simulation.machine import simulate
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.policies.catalog import policies

POLICIES = policies()
NODES = np.array([0.5, 0.5, 1.0, 1.0, 2.0])


def arrival(number, submitted, size, seconds, ratio):
    times = size * seconds / np.arange(1, len(NODES) + 1, dtype=np.float64) ** 0.8
    job = Job(number=number, submitted=float(submitted), size=size, least=1, most=len(NODES), times=times)
    return Arrival(job, ratio)


arrivals_of_five_nodes = st.lists(
    st.tuples(st.integers(0, 60), st.integers(1, 5), st.integers(1, 30), st.floats(0.2, 3)), min_size=1, max_size=10
).map(lambda described: [arrival(number, *one) for number, one in enumerate(described, 1)])


def started(arrivals, policy, quantile, until):
    runs = simulate(arrivals, unowned(NODES), POLICIES[policy](), quantile=quantile)
    return runs, {run.arrival.job.number: (run.start, tuple(run.nodes)) for run in runs if run.start < until}


@pytest.mark.parametrize("policy", POLICIES)
@given(
    arrivals=arrivals_of_five_nodes,
    quantile=st.sampled_from([None, 0.9]),
    until=st.integers(1, 100),
    longer=st.floats(1, 4),
)
@settings(max_examples=8)
def test_jobs_that_come_later_and_runs_that_end_later_change_nothing_before(policy, arrivals, quantile, until, longer):
    runs, before = started(arrivals, policy, quantile, until)
    ends = {run.arrival.job.number: run.end for run in runs}

    changed = [
        one if ends[one.job.number] < until else one._replace(ratio=one.ratio * longer)
        for one in arrivals
        if one.job.submitted < until
    ]

    assert started(changed, policy, quantile, until)[1] == before


@pytest.mark.parametrize("policy", POLICIES)
@given(arrivals=arrivals_of_five_nodes)
@settings(max_examples=8)
def test_no_node_has_two_members_at_a_time_whatever_really_happens(policy, arrivals):
    runs = simulate(arrivals, unowned(NODES), POLICIES[policy]())

    assert sorted(run.arrival.job.number for run in runs) == [one.job.number for one in arrivals]
    for node in range(len(NODES)):
        there = sorted((run.start, run.end) for run in runs if node in run.nodes)
        assert all(end <= start for (_, end), (start, _) in pairwise(there))
    for run in runs:
        stated = run.arrival.job.times[run.size - 1] * NODES[run.nodes[-1]]
        assert run.end - run.start == pytest.approx(stated * run.arrival.ratio)
