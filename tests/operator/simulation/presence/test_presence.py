"""Owners who come unannounced: who is there, what is forecast, and what becomes of jobs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule import ChangeTerms, Interruptible
from lockstep.belief.nodes.owners import QUIET_SECONDS
from lockstep.facts.cluster.node import OnReturn
from lockstep.simulation.machine import InterruptedRun, NeverStartsError, simulate
from lockstep.simulation.measures import measured
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.nodes import SimulatedNodes
from lockstep.simulation.policies.catalog import policies
from lockstep.simulation.presence.office_hours import hours_of
from lockstep.simulation.presence.owners import Drawn, Presence, RecordedOwners, drawn_owners_of, stays_by_node
from lockstep.simulation.presence.stays import DAY, HISTORY_WEEKS, HOUR, WEEK, stays_of
from lockstep.simulation.presence.terms import OwnerTerms

BEGIN = HISTORY_WEEKS * WEEK
POLICIES = policies()
FREELY = OwnerTerms(interruptible=Interruptible.FREELY)
SAVING = OwnerTerms(interruptible=Interruptible.CHECKPOINTED, checkpoint_interval=HOUR)


def stays(*intervals, weeks=52):
    """Describe an owner by hours since the begin of the simulation."""
    return stays_of([(BEGIN + begin * HOUR, BEGIN + end * HOUR) for begin, end in intervals], weeks)


def presence(by_node, terms=FREELY, nodes=2):
    return Presence(nodes, by_node, terms)


def simulated(arrivals, by_node, terms=FREELY, policy="easy", slowdowns=(1.0, 1.0)):
    slowdowns = np.array(slowdowns)
    hours = hours_of(None, len(slowdowns), np.random.default_rng(0))
    nodes = SimulatedNodes(slowdowns, hours, presence(by_node, terms, len(slowdowns)))
    return simulate(arrivals, nodes, POLICIES[policy]())


def job(number, size, hours, *, at=0.0):
    times = np.full(size, hours * HOUR)
    return Arrival(Job(number=number, submitted=at * HOUR, size=size, least=size, most=size, times=times))


def test_node_is_closed_while_its_owner_is_there_and_for_a_while_after_it_was_left_to_him():
    here = presence({1: stays((1, 2))})

    here.until(HOUR)
    assert here.windows(HOUR).opens.tolist() == [-math.inf, math.inf]
    here.until(2 * HOUR)
    assert here.windows(2 * HOUR).opens.tolist() == [-math.inf, 2 * HOUR + QUIET_SECONDS]
    assert here.next_check(2 * HOUR) == 2 * HOUR + QUIET_SECONDS
    assert here.windows(2 * HOUR + QUIET_SECONDS).opens.tolist() == [-math.inf, -math.inf]
    assert here.windows(0.0).closes.tolist() == [math.inf, math.inf]


def test_forecast_knows_the_hours_of_past_days_and_not_what_is_to_come():
    # Three weeks of working days from 9 to 17, and never after that.
    days = [day for day in range(21) if day % 7 < 5]
    known = stays_of([(day * DAY + 9 * HOUR, day * DAY + 17 * HOUR) for day in days], 8)
    forecasts = presence({1: known}).forecasts(0.0)

    assert forecasts.returns[0].max() == 0
    assert int(forecasts.returns[1].argmax()) == 9
    assert forecasts.returns[1, 9] > 0.9
    assert forecasts.returns[1, :8].max() < 0.1


@pytest.mark.parametrize("on_return", [OnReturn.KEEP, OnReturn.PACE])
def test_nothing_is_forecast_where_no_work_is_lost(on_return):
    assert presence({1: stays((1, 2))}, OwnerTerms(on_return=on_return)).forecasts(0.0).hours == 0


def test_interrupted_job_begins_anew_when_the_node_is_open():
    [run] = simulated([job(1, 2, 4)], {1: stays((3, 5))})

    assert run.earlier == (InterruptedRun([0, 1], 0, 3 * HOUR, 3 * HOUR),)
    assert (run.start, run.end) == (5 * HOUR + QUIET_SECONDS, 9 * HOUR + QUIET_SECONDS)
    assert run.first_start == 0


def test_job_that_saves_its_work_goes_on_from_there():
    [run] = simulated([job(1, 2, 4)], {1: stays((2.5, 5))}, SAVING)

    assert [attempt.lost for attempt in run.earlier] == [HOUR / 2]
    assert run.end - run.start == 2 * HOUR


def test_pause_after_a_change_of_size_is_no_lost_work():
    times = np.array([16.0, 8.0]) * HOUR
    grows = Job(number=1, submitted=0.0, size=1, least=1, most=2, times=times, is_elastic=True)
    runs = simulated([Arrival(grows), job(2, 1, 2)], {1: stays((5, 6))}, policy="elastic")

    [run] = [run for run in runs if run.arrival.job.number == 1]
    grown = next(one for one in run.earlier if not one.resized)
    assert (grown.nodes, grown.start, grown.end) == ([0, 1], 2 * HOUR, 5 * HOUR)
    assert grown.lost == 3 * HOUR - ChangeTerms().restart_time


def test_checkpoints_without_an_interval_save_nothing():
    assert OwnerTerms(interruptible=Interruptible.CHECKPOINTED).kept(HOUR) == 0


def test_interrupted_job_waits_in_its_old_place():
    jobs = [job(1, 2, 4), job(2, 2, 1, at=1), job(3, 1, 9, at=2)]
    runs = simulated(jobs, {1: stays((3, 5))}, policy="fcfs")

    assert [run.arrival.job.number for run in runs] == [1, 2, 3]


def test_work_lost_and_interruptions_are_measured():
    runs = simulated([job(1, 2, 4)], {1: stays((3, 5))})

    found = measured(runs, 2)

    assert (found.work_lost, found.interruptions, found.mean_wait) == (pytest.approx(3 / 7), 1, 0)
    assert found.utilisation == pytest.approx(2 * 7 * HOUR / (2 * (9 * HOUR + QUIET_SECONDS)))


@pytest.mark.parametrize(
    ("comes", "kept", "by_owners"),
    [
        pytest.param((30, 31), 1, 0, id="after the start"),
        pytest.param((3, 5), 0, 1, id="before the start"),
    ],
)
@pytest.mark.parametrize("policy", ["lockstep", "elastic"])
def test_promise_that_breaks_after_a_return_counts_as_broken_by_an_owner(policy, comes, kept, by_owners):
    jobs = [job(1, 2, 4), job(2, 2, 1, at=1)]
    found = measured(simulated(jobs, {1: stays(comes)}, policy=policy), 2)

    assert (found.told, found.promises_kept, found.broken_by_owners) == (0.5, kept, by_owners)


@pytest.mark.parametrize(
    ("terms", "hours"),
    [
        pytest.param(OwnerTerms(on_return=OnReturn.KEEP, duty_cycle=1.0), 5, id="beside an owner's work"),
        pytest.param(OwnerTerms(on_return=OnReturn.PACE), 5.8, id="with a tenth of the processors"),
    ],
)
def test_members_that_stay_take_longer_while_the_owner_is_there(terms, hours):
    [run] = simulated([job(1, 2, 4)], {1: stays((1, 3))}, terms)

    assert (run.start, run.end, run.earlier) == (0, pytest.approx(hours * HOUR), ())


def test_slowest_member_sets_the_pace_beside_owners_too():
    # The owner's node is twice as fast as the other: beside him it is just as slow.
    [run] = simulated(
        [job(1, 2, 4)], {0: stays((1, 3))}, OwnerTerms(on_return=OnReturn.KEEP, duty_cycle=1.0), "easy", (1, 2)
    )

    assert run.end == 8 * HOUR


def test_job_that_never_ends_before_the_owner_comes_is_reported():
    daily = stays(*((day * 24 + 12, day * 24 + 13) for day in range(7)), weeks=HISTORY_WEEKS + 1)

    with pytest.raises(NeverStartsError, match="job 1 was interrupted 1001 times and would never end"):
        simulated([job(1, 2, 30)], {1: stays_of((daily.intervals - BEGIN).tolist(), 1)})


@pytest.mark.parametrize(
    ("policy", "node"),
    [
        pytest.param("lockstep", 1, id="forecasts used"),
        pytest.param("heedless", 0, id="forecasts ignored"),
        pytest.param("unowned", 1, id="owned nodes never used"),
    ],
)
def test_policy_that_expects_the_owner_takes_the_slower_node(policy, node):
    # The owner of the faster node came at 2 o'clock on each day that is known, and never comes again.
    owner = stays_of([(day * DAY + 2 * HOUR, day * DAY + 9 * HOUR) for day in range(21)], 52)

    [run] = simulated([job(1, 1, 5)], {0: owner}, policy=policy, slowdowns=(1.0, 1.1))

    assert (run.start, run.nodes) == (0, [node])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("terms", [FREELY, SAVING, OwnerTerms(), OwnerTerms(on_return=OnReturn.KEEP)], ids=str)
@given(
    comes=st.lists(st.floats(0, 200), max_size=8),
    jobs=st.lists(st.tuples(st.integers(0, 100), st.integers(1, 2), st.integers(1, 6)), min_size=1, max_size=5),
)
@settings(max_examples=5)
def test_all_jobs_end_and_no_work_is_lost_or_gained_unseen(policy, terms, comes, jobs):
    arrivals = [job(number, size, hours, at=at) for number, (at, size, hours) in enumerate(jobs, 1)]
    owner = stays(*((at, at + 3) for at in comes))

    # Two nodes without an owner: no job waits for ever.
    runs = simulated(arrivals, {2: owner}, terms, policy, (1.0, 1.0, 1.0))

    assert sorted(run.arrival.job.number for run in runs) == [one.job.number for one in arrivals]
    for run in runs:
        worked = sum(one.end - one.start - one.lost for one in run.earlier) + run.end - run.start
        if terms.evicts:
            assert worked == pytest.approx(run.arrival.rigid_time)
            for one in run.earlier:
                assert ((owner.intervals[:, 0] - BEGIN) == one.end).any()
        else:
            assert not run.earlier
            assert worked >= run.arrival.rigid_time - 1e-6


def test_owners_are_drawn_by_the_seed():
    first, again = (stays_by_node(Drawn(0.5), 8, np.random.default_rng(1)) for _ in range(2))

    assert len(first) == 4
    assert first.keys() == again.keys()
    assert all(np.array_equal(first[node].intervals, again[node].intervals) for node in first)


def test_recorded_owners_have_a_node_each_as_far_as_there_are_nodes():
    recorded = RecordedOwners([stays((1, 2)), stays((3, 4)), stays((5, 6))])

    assert len(stays_by_node(recorded, 2, np.random.default_rng(1))) == 2
    assert set(stays_by_node(recorded, 9, np.random.default_rng(1)).values()) == set(recorded.stays)


@pytest.mark.parametrize(("text", "want"), [("0.25@habits", Drawn(0.25)), ("1@habits", Drawn(1.0)), ("2@habits", None)])
def test_habits_are_read(text, want):
    assert drawn_owners_of(text) == want
