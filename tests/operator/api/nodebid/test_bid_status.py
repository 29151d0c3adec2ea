"""What the status of a NodeBid says to the node's agent and of it, whatever was written there."""

import pytest

from builders.served import bid
from lockstep.api.nodebid.bid import parse_bid
from lockstep.api.nodebid.bid_status import (
    bid_plan_manifest,
    owner_back_manifest,
    parse_bid_plan,
    parse_owner_back,
    parse_report,
)
from lockstep.facts.cluster.bid_plan import BidPlan, BidReport, BidState

PLAN = BidPlan(
    state=BidState.OFFERED,
    slowdown=1250,
    until=1_800_000_000.0,
    members=2,
    member_uids=frozenset({"a", "b"}),
    others_request=1500,
    message="Members may start.",
)


@pytest.mark.parametrize("until", [None, PLAN.until])
def test_plan_is_read_as_it_was_written(until):
    plan = BidPlan(**{**{name: getattr(PLAN, name) for name in PLAN.__slots__}, "until": until})

    assert parse_bid_plan(bid_plan_manifest(plan)) == plan


def test_report_is_what_the_agent_measured_and_had_forecast():
    hours = [{"from": "2027-01-15T08:00:00Z", "dutyCycle": "250m"}, {"from": "2027-01-15T09:00:00Z"}]
    measured = {"dutyCycle": "500m", "until": "2027-01-15T08:00:00Z", "processor": "EPYC 9", "capacity": "1250m"}

    report = parse_report({"spec": {"forecast": hours}, "status": {"measured": measured}})

    assert report == BidReport(
        duty_cycle=0.5,
        forecast=((1_800_000_000.0, 0.25),),
        written_at=1_800_000_000.0,
        processor="EPYC 9",
        capacity=1.25,
    )


@pytest.mark.parametrize("odd", ["", "fast", "0", "-1", "1001", "1e999"])
def test_capacity_that_no_node_has_is_not_known(odd):
    assert parse_report({"status": {"measured": {"capacity": odd}}}).capacity is None


@pytest.mark.parametrize(("spec", "want"), [({}, False), ({"dutyCycle": "1"}, False), ({"capacity": "1"}, True)])
def test_bid_says_its_capacity_or_not(spec, want):
    assert parse_bid(bid("n1", **spec)).says_capacity is want


@pytest.mark.parametrize("status", [{}, {"measured": {}}, {"conditions": []}, None])
def test_bid_of_a_person_has_no_report(status):
    assert parse_report({"spec": {}, "status": status}) is None


@pytest.mark.parametrize("odd", ["", "much", "1" * 200, "1e999", "-5"])
def test_what_cannot_be_read_is_not_known_and_costs_the_bid_nothing(odd):
    status = {
        "measured": {"dutyCycle": odd, "until": odd, "message": "?"},
        "planned": {"state": "Offered", "slowdown": odd, "until": odd, "othersRequest": odd},
    }

    fact = parse_bid({**bid("n1", dutyCycle="500m"), "status": status})

    assert fact.problem is None
    assert fact.report is not None
    assert fact.report.written_at is None
    assert fact.planned is not None


@pytest.mark.parametrize("state", [None, "", "Elsewhere"])
def test_plan_of_a_state_that_is_none_is_no_plan(state):
    assert parse_bid_plan({"status": {"planned": {"state": state}}}) is None


@pytest.mark.parametrize("since", [None, PLAN.until])
def test_return_of_an_owner_is_read_as_it_was_written(since):
    assert parse_owner_back(owner_back_manifest(since)) == since


@pytest.mark.parametrize("status", [None, {}, {"ownerBackSince": "yesterday"}])
def test_return_time_that_is_unreadable_is_none(status):
    assert parse_owner_back({"status": status}) is None
