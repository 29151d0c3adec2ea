"""Owners who take their nodes back."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.simulated import unowned
from lockstep.simulation.machine import NeverStartsError, simulate
from lockstep.simulation.model.cluster import SimulatedDecision, Start
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.policies.catalog import policies
from lockstep.simulation.presence.office_hours import Hours, OfficeHours, OwnersError, hours_of, owners_of

HOUR, DAY = 3600.0, 86_400.0
POLICIES = policies()
# Jobs that need two nodes wait for ever where the owner's is never used, or only by jobs that end for certain before.
WHO_USE_BOTH = [name for name in POLICIES if name not in ("unowned", "by-progress")]
# The second of two nodes is its owner's from 9 to 17; no owner ever takes the first.
HOURS = Hours(np.array([math.nan, 9 * HOUR]), np.array([math.nan, 17 * HOUR]))
TWO = SimulatedNodes(np.ones(2), HOURS)


def arrival(number, submitted, size, seconds, *, ratio=1.0):
    times = np.full(2, float(seconds))
    return Arrival(Job(number=number, submitted=submitted, size=size, least=size, most=size, times=times), ratio)


@pytest.mark.parametrize(
    ("now", "opens", "closes"),
    [
        pytest.param(0, -math.inf, 9 * HOUR, id="before the owner comes"),
        pytest.param(9 * HOUR, 17 * HOUR, DAY + 9 * HOUR, id="while the owner is there"),
        pytest.param(17 * HOUR, -math.inf, DAY + 9 * HOUR, id="when the owner has left"),
        pytest.param(4 * DAY + 18 * HOUR, -math.inf, 7 * DAY + 9 * HOUR, id="over the weekend"),
        pytest.param(12 * DAY, -math.inf, 14 * DAY + 9 * HOUR, id="on a Saturday"),
    ],
)
def test_windows(now, opens, closes):
    windows = HOURS.windows(float(now))

    assert windows.opens.tolist() == [-math.inf, opens]
    assert windows.closes.tolist() == [math.inf, closes]


def test_owners_leave_one_after_the_other_and_not_at_weekends():
    assert HOURS.next_check(0.0) == 17 * HOUR
    assert HOURS.next_check(4 * DAY + 17 * HOUR) == 7 * DAY + 17 * HOUR
    assert unowned([1.0]).hours.next_check(0.0) == math.inf


def test_owners_are_drawn_with_half_an_hour_of_jitter():
    hours = hours_of(OfficeHours(0.25, 9, 17), 128, np.random.default_rng(1))
    again = hours_of(OfficeHours(0.25, 9, 17), 128, np.random.default_rng(1))

    assert np.isfinite(hours.begin).sum() == 32
    assert 9 * HOUR <= np.nanmin(hours.begin) < np.nanmax(hours.begin) <= 9.5 * HOUR
    assert 17 * HOUR <= np.nanmin(hours.end) < np.nanmax(hours.end) <= 17.5 * HOUR
    assert np.array_equal(hours.begin, again.begin, equal_nan=True)


def test_owners_are_read():
    assert owners_of("0.25@9-17") == OfficeHours(0.25, 9, 17)
    assert owners_of("1@0-23") == OfficeHours(1.0, 0, 23)


@pytest.mark.parametrize("text", ["", "0.25", "25@9-17", "0.25@17-9", "0.25@9-24", "0.25@9", "-0.5@9-17"])
def test_wrong_owners_are_refused(text):
    with pytest.raises(OwnersError, match="is not a share of the nodes and two hours"):
        owners_of(text)


@pytest.mark.parametrize("policy", WHO_USE_BOTH)
def test_jobs_wait_for_the_evening_where_they_would_not_end_before_the_owner_comes(policy):
    short, long = arrival(1, 0.0, 2, 8 * HOUR), arrival(2, 1.0, 2, 2 * HOUR)

    runs = simulate([short, long], TWO, POLICIES[policy]())

    assert [(run.start, run.end) for run in runs] == [(0, 8 * HOUR), (17 * HOUR, 19 * HOUR)]


@pytest.mark.parametrize("policy", POLICIES)
def test_jobs_that_would_never_end_before_an_owner_comes_are_reported(policy):
    with pytest.raises(NeverStartsError, match="1 jobs run longer than any nodes are free"):
        simulate([arrival(1, 0.0, 2, 4 * DAY)], TWO, POLICIES[policy]())


def test_run_that_takes_longer_than_expected_keeps_its_nodes():
    [run] = simulate([arrival(1, 0.0, 2, 8 * HOUR, ratio=2.0)], TWO, POLICIES["easy"]())

    assert (run.start, run.end) == (0, 16 * HOUR)


@pytest.mark.parametrize(
    ("now", "seconds", "want"),
    [
        pytest.param(10 * HOUR, 1.0, "that are not free", id="while the owner is there"),
        pytest.param(8 * HOUR, 2 * HOUR, "that are taken back before it ends", id="too late"),
    ],
)
def test_policy_that_takes_no_notice_of_owners_is_stopped(now, seconds, want):
    class Reckless:
        def decide(self, cluster):
            return SimulatedDecision([Start(job, [0, 1]) for job in cluster.waiting.values()])

    with pytest.raises(ValueError, match=want):
        simulate([arrival(1, now, 2, seconds)], TWO, Reckless())


jobs_of_days = st.lists(
    st.tuples(st.integers(0, 200), st.integers(1, 2), st.integers(1, 30)), min_size=1, max_size=8
).map(
    lambda described: [
        arrival(number, submitted * HOUR, size, seconds * HOUR)
        for number, (submitted, size, seconds) in enumerate(described, 1)
    ]
)


@pytest.mark.parametrize("policy", WHO_USE_BOTH)
@given(arrivals=jobs_of_days)
@settings(max_examples=20)
def test_no_job_runs_on_a_node_while_its_owner_is_there(policy, arrivals):
    runs = simulate(arrivals, TWO, POLICIES[policy]())

    assert len(runs) == len(arrivals)
    for run in runs:
        if 1 in run.nodes:
            days = np.arange(run.start // DAY, run.end // DAY + 1)
            came = days[days % 7 < 5] * DAY + 9 * HOUR
            assert not ((came < run.end) & (run.start < came + 8 * HOUR)).any()
