"""The work that is left to a gang of which a part is done."""

import pytest

from builders.facts import gang_fact, gang_spec, profile_work
from coschedule import SerialWork
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import Learned

SERIAL = SerialWork(serial=1000, fixed=5, per_member=1)


def left(work, progress, learned=None):
    return remaining_work(gang_fact("g", spec=gang_spec(work=work), status=GangStatus(progress=progress)), learned)


def times(thousandths):
    return Learned(thousandths=thousandths, runs=3)


def test_nothing_is_known_of_unknown_work():
    assert left(None, "0.5") is None


def test_work_of_which_nothing_is_reported_is_whole():
    assert left(SERIAL, "") is SERIAL


def test_serial_time_shrinks_and_overhead_is_paid_again():
    assert left(SERIAL, "0.75") == SerialWork(serial=250, fixed=5, per_member=1)


def test_measured_times_shrink():
    assert left(profile_work({2: 80.0, 3: 40.0}), "0.5") == profile_work({2: 40.0, 3: 20.0})


@pytest.mark.parametrize("work", [SERIAL, profile_work({1: 1000.0})])
def test_gang_that_says_that_all_is_done_has_something_left_to_do(work):
    [seconds] = left(work, "1").float_times(1)

    assert 0 < seconds < 10


def test_unknown_work_stays_unknown_whatever_was_learnt():
    assert left(None, "", times(1500)) is None


@pytest.mark.parametrize("progress", ["", "0.5"])
@pytest.mark.parametrize(
    "work",
    [SerialWork(serial=1000, fixed=5, per_member=1, per_log_member=2), profile_work({2: 80.0, 3: 40.0})],
    ids=["serial", "measured"],
)
def test_run_time_at_every_size_is_multiplied_by_what_was_learnt(work, progress):
    planned, stated = (left(work, progress, learned).float_times(3) for learned in (times(1500), None))

    assert planned.tolist() == pytest.approx((1.5 * stated).tolist())
