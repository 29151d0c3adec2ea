"""Bids that were not renewed in time: what they measured lapses, and they are known as long as they are there."""

from dataclasses import replace

import pytest

from builders.facts import bid_fact, node_fact
from lockstep.belief.common.changed_keys import ChangedKeys
from lockstep.belief.nodes.bids import Bids
from lockstep.facts.cluster.node import ExpectedHour, OnReturn

MEASURED = {"slowdown": 1.0, "duty_cycle": 1.0, "owner_present": True, "forecast": (ExpectedHour(0.0, 0.5),)}
PROMISED = {"capacity": 2.0, "since": 1.0, "until": 90.0, "slots": 2, "on_return": OnReturn.EVICT, "grace_seconds": 5.0}


class Belief:
    """Bids, and how often one changed a plan."""

    def __init__(self, *facts):
        self.changes = 0
        self.keys = ChangedKeys(lambda: None)
        self.bids = Bids({name: node_fact(name) for name in ("n1", "n2")}, self.keys, self._changed)
        for fact in facts:
            self.bids.apply(fact)

    def _changed(self):
        self.changes += 1


@pytest.fixture
def expired():
    """A bid that was not renewed, and another one."""
    belief = Belief(bid_fact("n1", expires=10.0, **MEASURED, **PROMISED), bid_fact("n2"))
    belief.bids.expire(10.0)
    belief.changes = 0
    return belief


def test_expired_bid_counts_with_what_it_promises_alone(expired):
    want = bid_fact("n1", expires=10.0, slowdown=0.5, **PROMISED)

    assert expired.bids["n1"] == replace(want, is_lapsed=True)
    assert [*expired.bids] == [*expired.bids.known()] == ["n1", "n2"]
    assert (expired.bids.version("n1"), expired.bids.version("n2"), expired.bids.version("n3")) == ("1", "1", None)


def test_bid_changes_the_plan_once_when_it_expires(expired):
    expired.bids.expire(10.0)
    expired.bids.expire(11.0)

    assert expired.changes == 0
    assert expired.bids.next_end() is None


def test_expired_bid_that_is_seen_again_changes_no_plan(expired):
    expired.bids.apply(bid_fact("n1", expires=10.0, version="2", **MEASURED, **PROMISED))

    assert (expired.changes, expired.bids.version("n1"), expired.bids["n1"].is_lapsed) == (0, "2", True)


def test_older_version_of_an_expired_bid_is_no_change(expired):
    expired.bids.apply(bid_fact("n1", expires=10.0, version="0", slots=7))

    assert (expired.changes, expired.bids["n1"].slots) == (0, 2)


def test_promise_that_is_changed_in_an_expired_bid_counts(expired):
    expired.bids.apply(bid_fact("n1", expires=10.0, version="2", **MEASURED, **{**PROMISED, "until": 50.0}))

    bid = expired.bids["n1"]
    assert (expired.changes, bid.is_lapsed, bid.available_until, bid.owner_present) == (1, True, 50.0, None)


def test_expired_bid_that_is_renewed_counts_whole_again(expired):
    renewed = bid_fact("n1", expires=20.0, version="2", **MEASURED, **PROMISED)
    expired.bids.apply(renewed)

    assert (expired.changes, expired.bids["n1"], expired.bids.next_end()) == (1, renewed, 20.0)


def test_expired_bid_that_is_deleted_is_forgotten(expired):
    expired.bids.remove("n1")

    assert ([*expired.bids.known()], expired.changes) == (["n2"], 1)


def test_status_for_the_owner_does_not_change_when_the_bid_expires():
    belief = Belief(bid_fact("n1", expires=10.0, duty_cycle=11.0, slowdown=12.0))
    before = belief.bids.wanted_condition("n1")

    belief.bids.expire(10.0)
    belief.bids.request_conditions()

    assert "dutyCycle is above 10" in before.message
    assert (belief.bids.wanted_condition("n1"), belief.keys.bids) == (before, {"n1"})


def test_no_condition_is_wanted_without_a_bid():
    assert Belief().bids.wanted_condition("n1") is None
