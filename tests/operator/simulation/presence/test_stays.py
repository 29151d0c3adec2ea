"""When owners are there."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.simulation.presence.habits import draw_stays
from lockstep.simulation.presence.stays import DAY, HISTORY_WEEKS, HOUR, WEEK, PresenceChange, all_changes, stays_of

BEGIN = HISTORY_WEEKS * WEEK


def changes(node, intervals, weeks, count):
    return list(islice(all_changes({node: stays_of(intervals, weeks)}), count))


def test_simulation_begins_after_the_weeks_of_history_and_begins_again():
    found = changes(7, [(HOUR, 2 * HOUR), (BEGIN + HOUR, BEGIN + 3 * HOUR)], 4, 4)

    assert found == [
        PresenceChange(HOUR, 7, is_there=True),
        PresenceChange(3 * HOUR, 7, is_there=False),
        PresenceChange(WEEK + HOUR, 7, is_there=True),
        PresenceChange(WEEK + 2 * HOUR, 7, is_there=False),
    ]


def test_who_is_there_at_the_begin_comes_then():
    [comes, goes] = changes(0, [(BEGIN - HOUR, BEGIN + HOUR)], 4, 2)

    assert (comes.time, comes.is_there, goes.time) == (0, True, HOUR)


def test_owner_who_never_comes_changes_nothing():
    assert list(all_changes({0: stays_of([], 4)})) == []


def test_owners_come_and_go_in_the_order_of_time():
    stays = {node: draw_stays(np.random.default_rng(node)) for node in range(5)}

    times = [change.time for change in islice(all_changes(stays), 500)]

    assert times == sorted(times)


def test_hours_have_the_part_in_which_the_owner_was_there():
    hourly = stays_of([(HOUR / 2, 2 * HOUR), (DAY, DAY + HOUR / 4)], 1).hourly()

    assert hourly[:3].tolist() == [0.5, 1, 0]
    assert hourly[24] == pytest.approx(0.25)
    assert (len(hourly), hourly.sum()) == (7 * 24, pytest.approx(1.75))


@given(st.lists(st.tuples(st.floats(-DAY, 8 * DAY), st.floats(-DAY, 8 * DAY))))
def test_stays_that_are_joined_are_apart_and_cover_the_same(intervals):
    joined = stays_of(intervals, 1).intervals

    assert (joined[:, 0] < joined[:, 1]).all()
    assert (joined[:-1, 1] < joined[1:, 0]).all()
    for moment in np.linspace(1, WEEK - 1, 50).tolist():
        want = any(begin <= moment < end for begin, end in intervals)
        assert ((joined[:, 0] <= moment) & (moment < joined[:, 1])).any() == want


def test_habits_are_those_of_the_seed_and_mostly_of_working_days():
    first, again, other = (draw_stays(np.random.default_rng(seed)) for seed in (1, 1, 2))
    days = first.hourly().reshape(-1, 7, 24).sum(axis=2).mean(axis=0)

    assert np.array_equal(first.intervals, again.intervals)
    assert not np.array_equal(first.intervals, other.intervals)
    assert days[:5].min() > 5
    assert days[5:].max() < 2
