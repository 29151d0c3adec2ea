"""What the planner makes of the bids that agents write."""

import pytest

from builders.facts import bid_fact, bid_report, member_fact, node_fact, pod_fact
from lockstep.api.pool import Pool
from lockstep.api.quantities import rfc3339
from lockstep.belief.nodes.owners import QUIET_SECONDS
from lockstep.belief.state import State
from lockstep.facts.cluster.bid_plan import BidState
from lockstep.facts.cluster.node import MOST_NODES_COUNTED, OnReturn, SharedCapacity
from lockstep.facts.pods.pod import PodPhase
from lockstep.report.nodebids.bid_plans import Guests, guests_of, plan_of_bid, state_of_bid

NOW = 1_800_000_000.0
NOT_RENEWED = "The bid was not renewed in time, so its measurements no longer count."
HEAT = "heat"


@pytest.fixture
def state():
    state = State(lambda: None, pool=Pool(selector=(("pool", "gangs"),)))
    state.nodes.apply(node_fact("n1", labels={"pool": "gangs"}))
    return state


@pytest.mark.parametrize(
    ("bid", "want"),
    [
        pytest.param(
            {"slowdown": 1.25},
            (BidState.OFFERED, "Members may start. They take 1.25 times as long as on an idle reference node."),
            id="offered",
        ),
        pytest.param(
            {"slowdown": 0.5, "shared": SharedCapacity(2.0, 1), "until": NOW + 60},
            (
                BidState.OFFERED,
                (
                    "Members may start. They take 0.50 times as long as on an idle reference node. The capacity 2.00 "
                    "was measured on a node with the same processor and instance type. "
                    "The node is offered until 2027-01-15T08:01:00Z."
                ),
            ),
            id="as fast as another node",
        ),
        pytest.param(
            {"until": NOW + 60},
            (
                BidState.OFFERED,
                (
                    "Members may start. They take 1.00 times as long as on an idle reference node. "
                    "The node is offered until 2027-01-15T08:01:00Z."
                ),
            ),
            id="offered for a while",
        ),
        pytest.param(
            {"since": NOW + 60},
            (
                BidState.LATER,
                (
                    "Members may start from 2027-01-15T08:01:00Z on. They take 1.00 times as long as on an idle "
                    "reference node."
                ),
            ),
            id="offered later",
        ),
        pytest.param(
            {"until": NOW},
            (BidState.CLOSED, "No member can start: the owner took the node back at 2027-01-15T08:00:00Z."),
            id="taken back",
        ),
        pytest.param(
            {"owner_present": True, "since": NOW + 60},
            (BidState.CLOSED, "No member can start: the owner is at the node."),
            id="owner present",
        ),
        pytest.param(
            {"problem": "odd", "slots": 0},
            (BidState.CLOSED, "No member can start: the bid can't be understood: odd."),
            id="not understood",
        ),
        pytest.param(
            {"expires": NOW},
            (
                BidState.EXPIRED,
                f"{NOT_RENEWED} Members may start. They take 1.00 times as long as on an idle reference node.",
            ),
            id="not renewed",
        ),
        pytest.param(
            {"expires": NOW, "until": NOW},
            (BidState.EXPIRED, f"{NOT_RENEWED} No member can start: the owner took the node back at {rfc3339(NOW)}."),
            id="not renewed, and the node is taken back",
        ),
    ],
)
def test_bid_is_reported_by_its_state(state, bid, want):
    seen = bid_fact(**bid)
    state.bids.apply(seen)

    assert state_of_bid(state, seen, NOW) == want


@pytest.mark.parametrize(("nodes", "want"), [(3, "on 3 nodes with"), (MOST_NODES_COUNTED, "on 10 nodes or more with")])
def test_bid_says_on_how_many_nodes_its_capacity_was_measured(state, nodes, want):
    assert want in state_of_bid(state, bid_fact(shared=SharedCapacity(1.82, nodes)), NOW)[1]


def test_node_whose_owner_has_just_left_is_offered_once_it_opens(state):
    for owner_present in (True, False):
        bid = bid_fact("n1", on_return=OnReturn.EVICT, owner_present=owner_present)
        state.bids.apply(bid)
        state.owners.update(NOW)

    bid_state, message = state_of_bid(state, bid, NOW)

    assert bid_state is BidState.LATER
    assert message.startswith("Members may start from 2027-01-15T08:10:00Z on. ")
    assert state_of_bid(state, bid, NOW + QUIET_SECONDS)[0] is BidState.OFFERED


@pytest.mark.parametrize(
    ("node", "want"),
    [
        pytest.param({"ready": False, "labels": {"pool": "gangs"}}, "not ready", id="not ready"),
        pytest.param({"cordoned": True, "labels": {"pool": "gangs"}}, "cordoned", id="cordoned"),
        pytest.param({"labels": {}}, "not in the pool", id="of another pool"),
        pytest.param(None, "gone", id="gone"),
    ],
)
def test_node_that_takes_no_member_is_reported_first(state, node, want):
    state.nodes.remove("n1")
    if node is not None:
        state.nodes.apply(node_fact("n1", **node))

    assert state_of_bid(state, bid_fact(), NOW) == (BidState.CLOSED, f"No member can start: the node is {want}.")


def test_expired_bid_of_a_node_that_is_labelled_off_says_why(state):
    state.nodes.apply(node_fact("n1", labels={"pool": "gangs", "lockstep.dev/agent": "off"}))

    _, message = state_of_bid(state, bid_fact(expires=NOW), NOW)

    assert message.startswith("The node is labelled lockstep.dev/agent=off, so no agent measures it. ")


def test_members_and_what_others_request_are_counted_by_node(state):
    state.bids.apply(bid_fact("n1", report=bid_report()))
    state.bids.apply(bid_fact("n2", report=bid_report(), expires=NOW))
    state.bids.apply(bid_fact("n3"))
    state.bids.expire(NOW)
    for pod in (
        member_fact(HEAT, rank=0, node="n1"),
        member_fact(HEAT, rank=1, node="n2"),
        member_fact(HEAT, rank=2, node="n3"),
        pod_fact("own", node="n1", request=(("cpu", 1500),)),
        pod_fact("small", node="n1", request=(("pods", 1),)),
        pod_fact("ended", node="n1", phase=PodPhase.SUCCEEDED),
        pod_fact("coming"),
    ):
        state.apply_pod(pod)

    guests = guests_of(state)

    assert {node: (len(one.members), one.others_request) for node, one in guests.items()} == {
        "n1": (1, 1500),
        "n2": (1, 0),
    }


def test_plan_names_a_thousand_members_at_most(state):
    uids = [f"uid-{number:04}" for number in range(1500)]

    plan = plan_of_bid(state, bid_fact(), Guests(members=uids, others_request=1234), NOW)

    assert (plan.members, plan.member_uids) == (1500, frozenset(uids[:1000]))
    assert plan.others_request == 1200


def test_numbers_beyond_all_bounds_are_reported_as_the_largest(state):
    plan = plan_of_bid(state, bid_fact(slowdown=1e300, problem="x" * 5000), Guests(others_request=2**70), NOW)

    assert plan.slowdown == plan.others_request == 2**31 - 1
    assert len(plan.message) <= 1024
