"""Which changes of a bid ask for a plan, and what ends with the time."""

import pytest

from builders.facts import bid_fact, bid_report
from lockstep.belief.state import State


@pytest.fixture
def state():
    return State(lambda: None)


def test_bids_lapse_when_they_are_not_renewed(state):
    state.bids.apply(bid_fact("n1", expires=100.0))
    state.bids.apply(bid_fact("n2", expires=200.0))
    state.bids.apply(bid_fact("n3"))
    assert state.bids.next_end() == 100.0

    state.bids.expire(100.0)
    assert ([bid.is_lapsed for bid in state.bids.values()], state.bids.next_end()) == ([True, False, False], 200.0)


def test_bid_that_is_renewed_is_no_change(state):
    state.bids.apply(bid_fact("n1", version="1", slowdown=2.0, expires=100.0))
    state.changes.begin_plan()
    generation = state.nodes.generation
    state.bids.apply(bid_fact("n1", version="2", slowdown=2.0, expires=130.0))

    assert (state.changes.is_plan_due, state.nodes.generation, state.bids.next_end()) == (False, generation, 130.0)


def test_what_an_agent_reports_and_reads_is_no_change(state):
    state.bids.apply(bid_fact("n1", version="1", expires=100.0, report=bid_report(duty_cycle=0.1)))
    state.changes.begin_plan()
    state.bids.apply(bid_fact("n1", version="2", expires=130.0, report=bid_report(duty_cycle=0.2)))

    assert not state.changes.is_plan_due


@pytest.mark.parametrize("after", [{"slowdown": 3.0}, {"slots": 0}, {"until": 0.0}, {"expires": 99.0}], ids=str)
def test_bid_that_offers_something_else_or_ends_sooner_is_a_change(state, after):
    state.bids.apply(bid_fact("n1", version="1", expires=100.0))
    state.changes.begin_plan()
    generation = state.nodes.generation
    state.bids.apply(bid_fact("n1", version="2", **{"expires": 130.0, **after}))

    assert (state.changes.is_plan_due, state.nodes.generation) == (True, generation + 1)


def test_bid_that_has_expired_does_not_come_back_by_a_list(state):
    state.bids.apply(bid_fact("n1", version="4", expires=100.0))
    state.bids.expire(100.0)
    state.changes.begin_plan()
    state.bids.apply(bid_fact("n1", version="4", expires=100.0))

    assert state.bids["n1"].is_lapsed
    assert not state.changes.is_plan_due
