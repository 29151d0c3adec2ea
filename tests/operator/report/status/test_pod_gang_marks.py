"""The status of a Gang from the pods that it has."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact
from builders.statuses import LATER, NOW, reserved, with_status
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.plan_marks import mark_planned_for_later
from lockstep.report.status.pod_gang_marks import mark_awaiting_pods, mark_found_bound, mark_pods_placed

WHY = "1 of the 2 needed pods wait for a node."
RESERVED = with_status(replace(reserved(), first_planned_start=NOW, waited_seconds=7, queued_since=NOW - 7))
NODES = ("n2", "n1", "n2", "n3")
PLACED = with_status(mark_pods_placed(RESERVED, NODES, now=NOW))


def awaiting(gang, *, are_bound=False, now=NOW):
    """The Gang's status while too few of its pods wait."""
    return mark_awaiting_pods(gang, WHY, are_bound=are_bound, now=now)


def says(status, kind):
    """Status, reason and message of one condition."""
    found = status.condition(kind)
    return found.status, found.reason, found.message


def test_placed_pods_have_no_reservation_any_more():
    status = mark_pods_placed(RESERVED, NODES, now=NOW + 1)

    assert (status.reserved_at, status.started_at) == (None, NOW + 1)
    assert says(status, Condition.PLACED) == ("True", Reason.BOUND, "3 pods of the Gang were bound together.")


def test_placed_gang_has_all_pods_of_it_that_are_on_nodes():
    status = mark_pods_placed(RESERVED, NODES, now=NOW)

    assert [(entry.node, entry.count) for entry in status.members] == [("n1", 1), ("n2", 2), ("n3", 1)]
    assert (status.size, status.attempt) == (4, RESERVED.status.attempt)


@pytest.mark.parametrize("status", [PLACED.status, awaiting(RESERVED)])
def test_next_pods_wait_for_themselves(status):
    assert [status.first_planned_start, status.plan, status.queued_since, status.waited_seconds] == [None] * 4


def test_gang_without_enough_pods_says_so_of_plan_and_place():
    status = awaiting(gang_fact())

    want = ("False", Reason.AWAITS_PODS, WHY)
    assert says(status, Condition.PLANNED) == says(status, Condition.PLACED) == want
    assert status.is_true(Condition.ACCEPTED)


def test_gang_whose_pods_run_stays_placed_while_no_other_waits():
    status = awaiting(PLACED, are_bound=True)

    assert status.is_true(Condition.PLACED)
    assert says(status, Condition.PLANNED) == ("False", Reason.AWAITS_PODS, WHY)
    assert (status.size, status.started_at) == (4, NOW)


def test_gang_that_is_younger_than_its_pods_says_that_they_are_on_nodes():
    status = mark_found_bound(with_status(GangStatus()), WHY, NODES, now=NOW)

    assert says(status, Condition.PLACED) == ("True", Reason.BOUND, "4 pods of the Gang are on nodes.")
    assert says(status, Condition.PLANNED) == ("False", Reason.AWAITS_PODS, WHY)
    assert [(entry.node, entry.count) for entry in status.members] == [("n1", 1), ("n2", 2), ("n3", 1)]
    assert (status.size, status.started_at) == (4, NOW)
    assert awaiting(with_status(status), are_bound=True, now=NOW + 9) == status


def test_gang_whose_pods_have_all_ended_is_placed_no_more():
    status = awaiting(PLACED)

    assert says(status, Condition.PLACED) == ("False", Reason.AWAITS_PODS, WHY)
    assert (status.size, status.members, status.started_at, status.expected_finish) == (None, (), None, None)


def test_plan_of_pods_that_went_away_is_dropped():
    planned = with_status(mark_planned_for_later(gang_fact(), LATER, now=NOW))

    status = awaiting(planned)

    assert (status.start, status.plan) == (None, None)


@pytest.mark.parametrize("are_bound", [False, True])
@pytest.mark.parametrize("gang", [gang_fact(), RESERVED, PLACED])
def test_same_words_later_change_nothing(gang, are_bound):
    once = replace(gang, status=awaiting(gang, are_bound=are_bound))

    assert awaiting(once, are_bound=are_bound, now=NOW + 60) == once.status


def test_gang_whose_pods_ended_before_they_were_seen_has_no_size():
    assert mark_pods_placed(RESERVED, (), now=NOW).size is None
