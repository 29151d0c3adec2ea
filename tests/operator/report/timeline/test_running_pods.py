"""Bars of Gangs whose pods run: they hold their nodes without a reservation."""

import pytest

from builders.facts import needs, node_fact, pod_fact
from builders.pod_gangs import pod_gang, waiting_pod
from coschedule import Members, Placement
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import Membership, PodPhase
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.timeline import draw, freeze
from lockstep.report.timeline.bars import NextNodes, bars

NOW = 1_000.0
BOUND = ConditionFact(Condition.PLACED, "True", Reason.BOUND, "", 1, NOW)
GANG = pod_gang(1, status=GangStatus(conditions=(BOUND,), attempt=1, start=900.0, expected_finish=1_500.0))

JOINING = Placement(
    gang=GANG.key,
    size=1,
    start=1_200.0,
    finish=1_300.0,
    speedup=None,
    members=(Members("n3", 1),),
    slowest="n3",
    latest=None,
    alternative=None,
)


@pytest.fixture
def state():
    """Three nodes, and a Gang with two pods on one of them and a pod on another."""
    state = State(lambda: None)
    for name in ("n1", "n2", "n3"):
        state.nodes.apply(node_fact(name))
    state.pod_gang_facts.apply(GANG)
    for rank, node in enumerate(("n1", "n1", "n2")):
        pod = pod_fact(f"p{rank}", node=node, phase=PodPhase.RUNNING)
        seat = Membership(GANG.key, GANG.uid, 1, rank)
        state.apply_pod(grouped(pod, GroupMember(GANG.key, seat, None, since=900.0)))
    return state


def frozen(state, *decisions, now=NOW):
    return freeze(state, decisions, planned_at=NOW, now=now)


def test_gang_whose_pods_run_is_on_their_nodes_and_does_not_wait(state):
    picture = draw(frozen(state))

    [gang] = picture["gangs"]
    assert [gang[one] for one in ("name", "stage", "size", "start", "finish")] == ["gang/g", "placed", 3, 900, 1_500]
    assert [row["nodes"] for kind in picture["kinds"] for row in kind["rows"] if row["bars"]] == ["n1", "n2"]
    assert picture["waiting"] == []


@pytest.mark.parametrize(("pods", "want"), [([], 0), (["p0"], 1)], ids=["no pod", "a pod waits for another"])
def test_gang_waits_only_while_some_of_its_pods_wait(pods, want):
    """A Gang stays as long as its finished Job."""
    state = State(lambda: None)
    state.pod_gang_facts.apply(pod_gang(2))
    for name in pods:
        pod = pod_fact(name, phase=PodPhase.PENDING)
        state.apply_pod(grouped(pod, GroupMember(GANG.key, None, waiting_pod(name, its_needs=needs(cpu=1000)))))
    state.pod_gang_facts.renew(GANG.key)

    assert draw(frozen(state))["waitingInAll"] == want


def test_end_moves_on_while_the_pods_overrun(state):
    facts = frozen(state, now=1_500.0)

    assert facts.next_overrun > 1_500.0


def test_pods_that_join_are_where_the_plan_has_them(state):
    pod = pod_fact("more", phase=PodPhase.PENDING)
    state.apply_pod(grouped(pod, GroupMember(GANG.key, None, waiting_pod("more", its_needs=needs(cpu=1000)))))
    state.pod_gang_facts.renew(GANG.key)

    [bar] = bars(frozen(state, JOINING))

    assert (bar.size, bar.then) == (3, NextNodes(1_200.0, {"n1": 2, "n2": 1, "n3": 1}))


def test_plan_of_pods_that_wait_no_more_is_not_shown(state):
    state.pod_gang_facts.renew(GANG.key)

    assert [bar.then for bar in bars(frozen(state, JOINING))] == [None]
