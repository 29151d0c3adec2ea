"""What a node's owner offers is obeyed: speed, window, slots, and the bid's own end."""

from datetime import UTC, datetime, timedelta

import pytest

from builders.manifests import bid, from_now, gang
from eventually import eventually
from sandbox import Node

pytestmark = pytest.mark.usefixtures("operator")


def test_fast_node_is_preferred(arena):
    _, fast, _ = arena.add_nodes(3)
    arena.create(bid(fast, capacity="2"))

    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [fast]


def test_busy_node_is_avoided(arena):
    busy, idle = arena.add_nodes(2)
    arena.create(bid(busy, dutyCycle="900m"))

    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [idle]


def test_node_that_is_not_measured_yet_is_as_fast_as_others_with_its_processor(arena):
    unknown, new, measured = arena.add_nodes(3)
    arena.create(bid(measured, capacity="2", slots=1))
    arena.create(bid(new, slots=1))
    arena.create(bid(unknown))
    arena.say_measured(measured, processor="EPYC 9, Python 3.11", capacity="2")
    arena.say_measured(new, processor="EPYC 9, Python 3.11")
    arena.say_measured(unknown, message="Nothing is measured yet.")
    eventually(
        lambda: "2.00 was measured on a node with" in arena.bid_status(new).get("planned", {}).get("message", "")
    )

    arena.submit(gang("heat", size=2, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert sorted(arena.nodes_of("heat")) == [new, measured]


def test_slots_limit_members_however_many_fit(arena):
    [node] = arena.add_nodes(1, cpu="8")
    arena.create(bid(node, slots=2))

    arena.submit(gang("heat", size=(1, 8), work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.status("heat")["size"] == 2


def test_slots_are_shared_by_all_gangs(arena):
    [node] = arena.add_nodes(1, cpu="8")
    arena.create(bid(node, slots=2))
    arena.submit(gang("first", size=1))
    arena.until_placed("first")

    arena.submit(gang("second", size=2))

    arena.until("second", "Placed", "False", "HoldsNodes")


def test_gang_that_outlasts_the_window_waits_for_another_node(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, availableUntil=from_now(600)))
    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))
    refused = arena.until("heat", "Placed", "False", "WindowTooShort")
    assert refused["message"]

    [free] = arena.add_nodes(1)

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [free]


def test_gang_of_unknown_length_takes_no_node_that_is_taken_back(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, availableUntil=from_now(600)))

    arena.submit(gang("heat", size=1))

    arena.until("heat", "Placed", "False", "WindowTooShort")


def test_owner_who_comes_back_gets_his_node_and_the_gang_another(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, onReturn="Evict", gracePeriodSeconds=1))
    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))
    arena.until_placed("heat")
    [free] = arena.add_nodes(1)

    arena.patch_bid(node, ownerPresent=True)

    [event] = arena.until_events("heat", "OwnerReturned")
    assert f"The owner of node {node} has been back" in event["note"]
    eventually(lambda: arena.nodes_of("heat") == [free])
    assert arena.status("heat")["attempt"] == 2


@pytest.fixture
def forecast(arena):
    """Two fast nodes, whose owners may come back from in two or three hours on: gangs that run then are interrupted."""
    hour = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) + timedelta(hours=3)
    hours = [{"from": hour.strftime("%Y-%m-%dT%H:%M:%SZ"), "ownerReturns": "50m"}]
    nodes = arena.add_nodes(2, cpu="1")
    for node in nodes:
        arena.create(bid(node, capacity="2", onReturn="Evict", forecast=hours))
    return nodes


def test_gang_that_takes_no_risk_waits_beside_one_that_runs_where_an_owner_may_return(arena, forecast):
    arena.submit(gang("never", size=1, interruptible="Never", work={"serialTime": "10h"}))
    arena.submit(gang("freely", size=1, interruptible="Freely", work={"serialTime": "10h"}))

    arena.until_placed("freely")
    refused = arena.until("never", "Placed", "False", "WindowTooShort")
    assert "owners of 2 of them may come back, and the gang may not be interrupted" in refused["message"]
    assert arena.nodes_of("freely")[0] in forecast
    assert "A node owner comes back before the end" in arena.condition("freely", "Planned")["message"]

    [free] = arena.add_nodes(1, cpu="1")
    arena.until_placed("never")
    assert arena.nodes_of("never") == [free]


def test_gang_that_takes_no_risk_runs_where_it_ends_before_an_owner_may_return(arena, forecast):
    arena.add_nodes(1, cpu="1")

    arena.submit(gang("never", size=1, interruptible="Never", work={"serialTime": "1h"}))

    arena.until_placed("never")
    assert arena.nodes_of("never")[0] in forecast


def test_gang_that_must_wait_for_its_node_is_planned_for_later(arena):
    [node] = arena.add_nodes(1)
    free = from_now(3600)
    arena.create(bid(node, availableFrom=free))

    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))

    planned = arena.until("heat", "Planned", reason="StartsLater")
    assert f"The start is expected at {free}" in planned["message"]
    assert (arena.status("heat")["start"], arena.status("heat")["firstPlannedStart"]) == (free, free)
    assert arena.condition("heat", "Placed")["status"] == "False"
    assert [event["type"] for event in arena.until_events("heat", "GangStartsLater")] == ["Normal"]
    assert arena.pods("heat") == []


def test_gang_that_was_planned_for_later_lands_then_and_not_before(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, availableFrom=from_now(3600)))
    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))
    arena.until("heat", "Planned", reason="StartsLater")

    free = from_now(1)
    arena.patch_bid(node, availableFrom=free)

    arena.until_placed("heat")
    [pod] = arena.pods("heat")
    assert datetime.fromisoformat(pod["metadata"]["creationTimestamp"]) >= datetime.fromisoformat(free)


def test_gang_does_not_wait_for_a_node_that_gains_too_little(arena):
    now, later = arena.add_nodes(2, cpu="1")
    arena.create(bid(later, availableFrom=from_now(3000)))

    arena.submit(gang("heat", size=(1, 2), work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [now]


def test_gang_waits_where_waiting_ends_it_sooner(arena):
    _, later = arena.add_nodes(2, cpu="1")
    arena.create(bid(later, availableFrom=from_now(600), capacity="4"))

    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))

    arena.until("heat", "Planned", reason="StartsLater")
    assert [one["node"] for one in arena.status("heat")["members"]] == [later]


def test_deleted_bid_no_longer_counts(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, slots=1))
    arena.submit(gang("heat"))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")

    arena.delete_bid(node)

    arena.until_placed("heat")


def test_owner_who_was_present_when_a_bid_expired_keeps_no_gang_away_and_slots_go_on_counting(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, slots=1, ownerPresent=True))
    arena.submit(gang("large"))
    arena.submit(gang("small", size=1))
    arena.until("small", "Placed", "False")

    arena.patch_bid(node, expiresAt=from_now(1))

    arena.until_placed("small")
    arena.until("large", "Placed", "False", "NotEnoughRoom")


def test_changed_bid_counts(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, slots=1))
    arena.submit(gang("heat"))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")

    arena.patch_bid(node, slots=2)

    arena.until_placed("heat")


def test_deadline_takes_the_fewest_members_that_meet_it(arena):
    arena.add_nodes(2, cpu="4")

    arena.submit(gang("heat", size=(1, 8), deadline="25m", work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.status("heat")["size"] == 3


def test_deadline_that_cannot_be_met_is_reported(arena):
    arena.add_nodes(1, cpu="2")

    arena.submit(gang("heat", size=(1, 8), deadline="20m", work={"serialTime": "1h"}))

    arena.until("heat", "Placed", "False", "DeadlineCannotBeMet")


def test_no_longer_gang_is_planned_behind_on_the_time_a_running_one_needs(arena):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("heat", work={"serialTime": "1h"}))
    arena.until_placed("heat")

    arena.submit(gang("next", work={"serialTime": "1h"}))

    arena.until("next", "Planned", reason="StartsLater")
    eventually(lambda: arena.status("next").get("start") == arena.status("heat")["expectedFinish"])


def test_status_keeps_since_when_an_owner_is_back(arena):
    [node] = arena.add_nodes(1)
    arena.create(bid(node, onReturn="Evict", ownerPresent=True))
    eventually(lambda: arena.bid_status(node).get("ownerBackSince"))

    arena.patch_bid(node, ownerPresent=False)

    eventually(lambda: "ownerBackSince" not in arena.bid_status(node))


def test_condition_of_a_bid_without_a_node_says_so_until_there_is_one(arena, kubectl):
    name = f"{arena.pool}-typo"
    arena.create(bid(name, capacity="2"))
    eventually(lambda: accepted(arena, name).get("status") == "False")
    says = accepted(arena, name)
    assert (says["reason"], says["message"]) == (
        "NodeNotFound",
        f"There is no node {name}. A bid has the name of its node, and counts as soon as that node exists.",
    )
    assert {"ACCEPTED", "False"} <= set(kubectl("get", "nb", name).split())

    arena.create_nodes([Node(name=name)])

    eventually(lambda: accepted(arena, name)["status"] == "True")


def accepted(arena, name):
    conditions = arena.bid_status(name).get("conditions", [])
    return next((one for one in conditions if one["type"] == "Accepted"), {})
