"""What has changed stays changed until it is marked as handled."""

import pytest

from coschedule import GangKey
from lockstep.belief.common.changed_keys import ChangedKeys

A, B = GangKey("default", "a"), GangKey("default", "b")


@pytest.fixture
def wakes():
    return []


@pytest.fixture
def changes(wakes):
    return ChangedKeys(lambda: wakes.append(1))


def test_gang_stays_changed_until_it_is_reconciled(changes, wakes):
    changes.reconcile(A, B)
    changes.reconciling(A)
    assert (changes.gangs, wakes) == ({B}, [1])

    changes.reconcile(A)
    assert changes.gangs == {A, B}


def test_later_check_wakes_no_waiter(changes, wakes):
    changes.reconcile_later(A)

    assert (changes.gangs, wakes) == ({A}, [])


def test_plan_that_begins_takes_all_changes_so_far(changes, wakes):
    changes.plan()
    assert (changes.begin_plan(), changes.begin_plan()) == (True, False)

    changes.record_change(needs_plan=False)
    assert (changes.is_plan_due, wakes) == (False, [1, 1])
    changes.record_change(needs_plan=True)
    changes.record_change(needs_plan=False)
    assert changes.is_plan_due


def test_bid_stays_changed_until_its_status_is_written(changes):
    changes.report_bid("n1")
    changes.report_bid("n2")
    changes.bid_reported("n1")
    changes.bid_reported("never asked")

    assert changes.bids == {"n2"}
