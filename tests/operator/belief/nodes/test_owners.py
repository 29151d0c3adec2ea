"""Which owners are back, since when, and when their nodes open again."""

import math
from dataclasses import replace

import pytest

from builders.facts import bid_fact
from lockstep.belief.nodes.owners import QUIET_SECONDS, NodeOwners
from lockstep.facts.cluster.node import OnReturn


class Seen:
    """Node owners that are followed, and the changes that were reported."""

    def __init__(self):
        self.bids = {}
        self.returned = []
        self.changes = 0
        self.owners = NodeOwners(self.bids, returned=self.returned.append, changed=self._changed)

    def _changed(self):
        self.changes += 1

    def note(self, now, **bid):
        self.bids["n1"] = bid_fact("n1", on_return=OnReturn.EVICT, grace_seconds=30.0, **bid)
        self.owners.update(now)
        reported, self.returned[:] = list(self.returned), []
        return reported


@pytest.fixture
def seen():
    return Seen()


def test_owner_is_reported_on_return_and_when_the_grace_period_is_over(seen):
    assert seen.note(100.0, owner_present=True) == [{"n1"}]
    assert seen.note(110.0, owner_present=True) == []
    assert seen.owners.next_due(110.0) == 130.0
    assert seen.note(130.0, owner_present=True) == [{"n1"}]
    assert seen.note(131.0, owner_present=True) == []

    back = seen.owners.back("n1")
    assert (back.since, back.due, back.on_return) == (100.0, 130.0, OnReturn.EVICT)
    assert seen.owners.opens_at("n1") == math.inf


def test_owner_whose_time_has_come_is_back_since_then(seen):
    assert seen.note(100.0, until=150.0) == []
    assert seen.owners.next_due(100.0) == 150.0
    assert seen.note(160.0, until=150.0) == [{"n1"}]
    assert seen.owners.back("n1").since == 150.0


def test_owner_who_leaves_within_the_grace_counts_anew(seen):
    seen.note(100.0, owner_present=True)
    seen.note(120.0, owner_present=False)
    assert seen.owners.back("n1") is None

    seen.note(125.0, owner_present=True)

    assert seen.owners.back("n1").due == 155.0


def test_node_stays_closed_for_a_while_after_its_owner_has_left(seen):
    seen.note(100.0, owner_present=True)
    seen.note(200.0, owner_present=False)

    assert seen.changes == 1
    assert seen.owners.opens_at("n1") == seen.owners.next_due(200.0) == 200.0 + QUIET_SECONDS
    seen.note(200.0 + QUIET_SECONDS, owner_present=False)
    assert seen.owners.opens_at("n1") == -math.inf


def test_node_that_opens_at_a_time_of_its_bid_is_planned_then(seen):
    seen.note(100.0, since=300.0, until=400.0)

    assert [seen.owners.next_due(now) for now in (100.0, 300.0, 400.0)] == [300.0, 400.0, math.inf]


def test_bid_that_is_gone_is_an_owner_who_has_left(seen):
    seen.note(100.0, owner_present=True)
    del seen.bids["n1"]
    seen.owners.update(110.0)

    assert seen.owners.back("n1") is None
    assert seen.owners.opens_at("n1") == 110.0 + QUIET_SECONDS


@pytest.mark.parametrize("on_return", [OnReturn.KEEP, OnReturn.PACE])
def test_node_that_evicts_no_gang_opens_as_soon_as_its_owner_leaves(on_return):
    seen = Seen()
    seen.bids["n1"] = bid_fact("n1", on_return=on_return, owner_present=True)
    seen.owners.update(100.0)
    assert seen.owners.back("n1").on_return is on_return
    assert seen.owners.opens_at("n1") == math.inf

    seen.bids["n1"] = bid_fact("n1", on_return=on_return, owner_present=False)
    seen.owners.update(101.0)

    assert seen.owners.opens_at("n1") == -math.inf


DAY = 86_400.0
NOW = 10 * DAY


@pytest.mark.parametrize(
    ("kept", "want"),
    [
        pytest.param(NOW - 20, NOW - 20, id="a moment ago"),
        pytest.param(NOW, NOW, id="now"),
        pytest.param(NOW - DAY, NOW - DAY, id="as long ago as the longest grace"),
        pytest.param(NOW + 1, NOW, id="in the future"),
        pytest.param(NOW - DAY - 1, NOW, id="longer ago"),
        pytest.param(-1e11, NOW, id="before all time"),
        pytest.param(None, NOW, id="never"),
    ],
)
def test_next_process_goes_on_from_what_can_be_true(seen, kept, want):
    seen.note(NOW, owner_present=True, owner_back_since=kept)

    assert seen.owners.back("n1").since == want


def test_what_is_kept_does_not_matter_to_a_process_that_saw_the_owner_return(seen):
    seen.note(NOW, owner_present=False)
    seen.note(NOW + 10, owner_present=True)
    seen.note(NOW + 20, owner_present=True, owner_back_since=NOW - 50)

    assert seen.owners.back("n1").since == NOW + 10


def test_status_is_to_say_since_when_an_owner_is_back_who_interrupts_gangs(seen):
    seen.note(NOW, owner_present=True)
    back = seen.bids["n1"]

    assert seen.owners.back_since(back, NOW) == NOW
    assert seen.owners.back_since(replace(back, owner_present=False), NOW) is None
    assert seen.owners.back_since(replace(back, on_return=OnReturn.PACE), NOW) is None
    assert seen.owners.back_since(replace(back, node="expired"), NOW) is None


def test_what_is_kept_stays_until_this_process_has_checked(seen):
    seen.bids["n1"] = bid_fact("n1", on_return=OnReturn.EVICT, owner_present=True, owner_back_since=NOW - 5)

    assert seen.owners.back_since(seen.bids["n1"], NOW) == NOW - 5
