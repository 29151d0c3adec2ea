"""Gauges of what gangs use, what is promised to them, and how late their starts are."""

import math
from collections import deque
from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import bid_fact, gang_fact, gang_spec, member_fact, node_fact, pod_fact, reservation
from builders.pod_gangs import pod_gang
from coschedule import GangKey, HeldByLastingPods, Hold, Members, Placement, Unplaceable
from lockstep.api.pool import Pool
from lockstep.belief.state import State
from lockstep.facts.cluster.node import OnReturn
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import PodPhase
from lockstep.report.metrics.capacity_metrics import AMOUNT_STATES, NODE_STATES, SLOT_STATES
from lockstep.report.metrics.gauges import refreshing
from lockstep.report.metrics.metrics import Metrics

NOW = 100.0
IDLE_NODES = {"in_use": 0, "promised": 0, "free": 2, "closed": 0}
IDLE_SLOTS = {"in_use": 0, "promised": 0, "free": 0}


@pytest.fixture
def state():
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    return state


def counted(state, *decisions):
    """Nodes and slots by state."""
    metrics = refreshed(state, decisions)
    value = metrics.registry.get_sample_value
    return (
        {name: value("lockstep_nodes", {"state": name}) for name in NODE_STATES},
        {name: value("lockstep_slots", {"state": name}) for name in SLOT_STATES},
    )


def refreshed(state, decisions=()):
    metrics = Metrics(CollectorRegistry())
    deque(refreshing(metrics, state, NOW, decisions))
    return metrics


def cores(state, *decisions):
    """Cores by state, but for states that nothing is in."""
    return amounts(state, "lockstep_cores", *decisions)


def amounts(state, metric, *decisions):
    value = refreshed(state, decisions).registry.get_sample_value
    counts = {name: value(metric, {"state": name}) for name in AMOUNT_STATES}
    return {name: count for name, count in counts.items() if count}


def overdue(state):
    return refreshed(state).registry.get_sample_value("lockstep_start_overdue_seconds")


def later(gang, *members):
    """A placement that starts some time after now."""
    return Placement(
        gang=GangKey("default", gang),
        size=sum(count for _, count in members),
        start=NOW + 60,
        finish=math.inf,
        speedup=None,
        members=tuple(Members(*entry) for entry in members),
        slowest=members[0][0],
        latest=None,
        alternative=None,
    )


def planned_for(start, **more):
    return GangStatus(first_planned_start=start, **more)


def test_idle_nodes_are_free(state):
    assert counted(state) == (IDLE_NODES, IDLE_SLOTS)


def test_nodes_outside_the_pool_count_only_while_members_are_there():
    state = State(lambda: None, pool=Pool(selector=(("pool", "gangs"),)))
    state.nodes.apply(node_fact("inside", labels={"pool": "gangs"}))
    for name in ("left", "outside"):
        state.nodes.apply(node_fact(name))
        state.bids.apply(bid_fact(name, slots=4))
    state.assumptions.hold(reservation(members=[("left", 2)]))

    nodes, slots = counted(state)

    assert nodes == {"in_use": 1, "promised": 0, "free": 1, "closed": 0}
    assert slots == {"in_use": 2, "promised": 0, "free": 0}


def test_node_with_members_of_a_gang_is_in_use_though_it_is_cordoned_meanwhile(state):
    state.apply_gang(gang_fact("g"))
    state.assumptions.hold(reservation("g", members=(("n1", 3),)))
    state.nodes.apply(node_fact("n1", cordoned=True))

    assert counted(state) == (IDLE_NODES | {"in_use": 1, "free": 1}, IDLE_SLOTS | {"in_use": 3})


def test_members_that_have_ended_use_nothing(state):
    state.apply_gang(gang_fact("g"))
    state.assumptions.hold(reservation("g", members=(("n1", 1), ("n2", 1))))
    state.apply_pod(member_fact("g", rank=0, node="n1", phase=PodPhase.SUCCEEDED))

    assert counted(state) == (IDLE_NODES | {"in_use": 1, "free": 1}, IDLE_SLOTS | {"in_use": 1})


def test_nodes_of_a_later_start_are_promised(state):
    state.apply_gang(gang_fact("g"))

    assert counted(state, later("g", ("n2", 2))) == (
        IDLE_NODES | {"promised": 1, "free": 1},
        IDLE_SLOTS | {"promised": 2},
    )


def test_nodes_that_are_held_are_promised(state):
    state.apply_gang(gang_fact("g"))
    held = Unplaceable(
        gang=GangKey("default", "g"),
        refusal=HeldByLastingPods(needed=2, fit=1),
        hold=Hold(nodes=("n1", "n2"), start=NOW),
    )

    assert counted(state, held) == (IDLE_NODES | {"promised": 2, "free": 0}, IDLE_SLOTS)


def test_promise_to_a_gang_that_is_gone_or_reserved_counts_no_more(state):
    state.apply_gang(gang_fact("reserved"))
    state.assumptions.hold(reservation("reserved", members=(("n1", 1),)))

    assert counted(state, later("gone", ("n2", 2)), later("reserved", ("n2", 2))) == (
        IDLE_NODES | {"in_use": 1, "free": 1},
        IDLE_SLOTS | {"in_use": 1},
    )


@pytest.mark.parametrize(
    ("node", "bid"),
    [
        pytest.param({"cordoned": True}, {}, id="cordoned"),
        pytest.param({"ready": False}, {}, id="not ready"),
        pytest.param({}, {"since": NOW + 1}, id="offered later"),
        pytest.param({}, {"until": NOW}, id="taken back"),
        pytest.param({}, {"owner_present": True}, id="its owner is present"),
        pytest.param({}, {"problem": "odd", "slots": 0}, id="its bid is not understood"),
    ],
)
def test_node_that_takes_no_new_members_is_closed_and_has_no_free_slots(state, node, bid):
    state.nodes.apply(node_fact("n1", **node))
    state.bids.apply(bid_fact("n1", **{"slots": 4, **bid}))

    assert counted(state) == (IDLE_NODES | {"closed": 1, "free": 1}, IDLE_SLOTS)


def test_node_whose_owner_has_just_left_is_closed(state):
    for owner_present in (True, False):
        state.bids.apply(bid_fact("n1", on_return=OnReturn.EVICT, owner_present=owner_present))
        state.advance_to(NOW)

    nodes, _ = counted(state)

    assert nodes == IDLE_NODES | {"closed": 1, "free": 1}


def test_free_slots_are_what_bids_leave_beside_members_and_promises(state):
    state.bids.apply(bid_fact("n1", slots=4))
    state.bids.apply(bid_fact("n2", slots=2))
    for name in ("running", "waiting"):
        state.apply_gang(gang_fact(name))
    state.assumptions.hold(reservation("running", members=(("n1", 1),)))

    _, slots = counted(state, later("waiting", ("n1", 1), ("n2", 2)))

    assert slots == {"in_use": 1, "promised": 3, "free": 2}


def test_start_is_overdue_by_the_gang_that_is_longest_past_its_first_plan(state):
    state.apply_gang(gang_fact("tomorrow", status=planned_for(NOW + 86_400)))
    state.apply_gang(gang_fact("late", status=planned_for(NOW - 30)))
    state.apply_gang(gang_fact("binding", status=planned_for(NOW - 50)))
    state.assumptions.hold(reservation("binding", members=(("n1", 1),)))

    assert overdue(state) == 50


def test_nothing_is_overdue_that_has_no_plan_or_is_placed(state):
    placed = (ConditionFact("Placed", "True", "Bound", "", 1, 0.0),)
    state.apply_gang(gang_fact("never-planned", created=0.0))
    state.apply_gang(gang_fact("placed", status=planned_for(NOW - 50, conditions=placed)))
    state.assumptions.hold(reservation("placed", members=(("n1", 1),)))

    assert overdue(state) == 0


def test_gang_that_waits_after_an_earlier_run_is_not_overdue(state):
    """Its status keeps the start of its first plan, which it has met."""
    state.apply_gang(gang_fact("preempted", status=planned_for(NOW - 86_400, active_since=NOW - 86_400)))

    assert overdue(state) == 0


def test_cores_of_idle_nodes_are_free(state):
    assert cores(state) == {"free": 16}


def test_cores_count_once_for_members_for_promises_for_other_pods_or_as_left(state):
    state.nodes.apply(node_fact("n3", cordoned=True))
    state.apply_gang(gang_fact("g"))
    state.assumptions.hold(reservation("g", members=(("n1", 3),)))
    state.apply_pod(pod_fact("other", node="n1", request=(("cpu", 2500),)))
    state.apply_gang(gang_fact("late"))

    counts = cores(state, later("late", ("n2", 2)))

    assert counts == {"in_use": 3, "others": 2.5, "promised": 2, "free": 8.5, "closed": 8}
    assert sum(counts.values()) == 24


def test_promise_behind_members_that_run_takes_no_core_twice(state):
    state.apply_gang(gang_fact("g"))
    state.assumptions.hold(reservation("g", members=(("n1", 8),)))
    state.apply_gang(gang_fact("late"))

    assert cores(state, later("late", ("n1", 4))) == {"in_use": 8, "free": 8}


def test_gpus_of_all_makers_and_memory_count_as_cores_do(state):
    nvidia, amd = "nvidia.com/gpu", "amd.com/gpu"
    state.nodes.apply(replace(node_fact("n1"), allocatable=(("memory", 64), (nvidia, 4))))
    state.nodes.apply(replace(node_fact("n2", cordoned=True), allocatable=(("memory", 32), (amd, 2))))
    state.apply_pod(pod_fact("member", node="n1", request=(("cpu", 1000), ("memory", 10), (nvidia, 1))))

    assert amounts(state, "lockstep_gpus") == {"others": 1, "free": 3, "closed": 2}
    assert amounts(state, "lockstep_memory_bytes") == {"others": 10, "free": 54, "closed": 32}


def test_gpus_of_members_are_in_use_and_those_of_a_later_start_promised(state):
    gpu = "nvidia.com/gpu"
    state.nodes.apply(replace(node_fact("n1"), allocatable=(("cpu", 8000), (gpu, 4))))
    request = (("cpu", 1000), (gpu, 1))
    state.apply_gang(gang_fact("late", spec=gang_spec(request=request)))
    state.assumptions.hold(reservation("g", members=(("n1", 2),), request=request))

    assert amounts(state, "lockstep_gpus", later("late", ("n1", 1))) == {"in_use": 2, "promised": 1, "free": 1}


def test_pods_of_a_gang_are_its_members_before_and_after_its_reservation_ends(state):
    gang = pod_gang(2)
    state.pod_gang_facts.apply(gang)
    seats = replace(reservation(members=(("n1", 2),)), gang=gang.key, gang_uid=gang.uid)
    state.assumptions.hold(seats)
    state.apply_pod(grouped(pod_fact("a", node="n1", cpu=1000), GroupMember(gang.key, seats.membership(0), None)))

    found = [(*counted(state), cores(state))]
    state.apply_pod(grouped(pod_fact("b", node="n1", cpu=1000), GroupMember(gang.key, seats.membership(1), None)))
    state.assumptions.forget(gang.key)
    found.append((*counted(state), cores(state)))

    want = IDLE_NODES | {"in_use": 1, "free": 1}, IDLE_SLOTS | {"in_use": 2}, {"in_use": 2, "free": 14}
    assert found == [want, want]


def test_cores_outside_the_pool_do_not_count():
    state = State(lambda: None, pool=Pool(selector=(("pool", "gangs"),)))
    state.nodes.apply(node_fact("inside", labels={"pool": "gangs"}))
    state.nodes.apply(node_fact("outside"))
    state.assumptions.hold(reservation(members=[("outside", 2)]))

    assert cores(state) == {"free": 8}


def pool_speed(state):
    value = refreshed(state).registry.get_sample_value
    return value("lockstep_pool_power"), value("lockstep_pool_heterogeneity")


def test_power_and_heterogeneity_are_those_of_the_speeds_that_bids_say(state):
    state.bids.apply(bid_fact("n2", capacity=4.0))
    assert pool_speed(state) == (1.25, 0.375)

    state.bids.apply(bid_fact("n1", capacity=4.0, slowdown=9.0, duty_cycle=35.0))
    assert pool_speed(state) == (2.0, 0.0), "what others use of a node changes nothing"


def test_pool_without_nodes_has_no_power():
    assert pool_speed(State(lambda: None)) == (0.0, 0.0)
