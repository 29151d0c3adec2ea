"""Which gangs have a bar, where, and until when."""

import math
from dataclasses import replace

import pytest

from builders.facts import gang_fact, member_fact, node_fact, reservation
from coschedule import GangKey, Hold, Members, NotEnoughRoom, Placement, Unplaceable
from lockstep.belief.state import State
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.report.timeline import freeze
from lockstep.report.timeline.bars import bars

NOW = 1000.0


@pytest.fixture
def state():
    state = State(lambda: None)
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.apply_gang(gang_fact())
    return state


def condition(kind, status="True", reason=""):
    return ConditionFact(kind, status, reason, "", 1, 0.0)


def drawn(state, *decisions, planned_at=NOW, now=NOW):
    facts = freeze(state, decisions, planned_at=planned_at, now=now)
    return [(one.gang.name, one.stage, one.start, one.finish, dict(one.nodes)) for one in bars(facts)]


def planned(gang="g", *, start=NOW + 60, finish=NOW + 120, members=(("n1", 2),)):
    return Placement(
        gang=GangKey("default", gang),
        size=sum(count for _, count in members),
        start=start,
        finish=finish,
        speedup=None,
        members=tuple(Members(*entry) for entry in members),
        slowest=members[0][0],
        latest=None,
        alternative=None,
    )


@pytest.mark.parametrize(
    ("conditions", "want_stage"),
    [
        pytest.param((), "reserved", id="members are still being bound"),
        pytest.param((condition("Placed"),), "placed", id="all are bound"),
        pytest.param((condition("Placed", "False", "Undoing"),), "undoing", id="they are taken back"),
    ],
)
def test_gang_on_nodes_has_a_bar_from_its_start_to_its_expected_end(state, conditions, want_stage):
    state.apply_gang(gang_fact(version="2", status=GangStatus(conditions=conditions)))
    state.apply_pod(member_fact(node="n1", gone_by=2000.0))
    state.assumptions.hold(reservation(start=900.0, finish=2000.0))

    assert drawn(state) == [("g", want_stage, 900.0, 2000.0, {"n1": 1, "n2": 1})]


def test_members_of_a_gang_that_is_gone_are_being_taken_back(state):
    state.assumptions.hold(reservation("gone", start=900.0))

    assert drawn(state) == [("gone", "undoing", 900.0, None, {"n1": 1, "n2": 1})]


def test_planned_gang_has_a_bar_where_it_is_expected(state):
    assert drawn(state, planned(members=(("n1", 2), ("n2", 1), ("n1", 1)))) == [
        ("g", "planned", NOW + 60, NOW + 120, {"n1": 3, "n2": 1})
    ]


def test_end_of_a_gang_without_run_time_is_unknown(state):
    assert drawn(state, planned(finish=math.inf)) == [("g", "planned", NOW + 60, None, {"n1": 2})]


def test_gang_that_holds_nodes_has_a_bar_without_members(state):
    refusal = NotEnoughRoom(needed=3, fit=2, passing=2, nodes=2, short=())
    decision = Unplaceable(gang=GangKey("default", "g"), refusal=refusal, hold=Hold(nodes=("n1", "n2"), start=NOW + 5))

    assert drawn(state, decision) == [("g", "holds", NOW + 5, None, {"n1": 0, "n2": 0})]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"status": GangStatus(conditions=(condition("Complete"),))}, id="it has ended since"),
        pytest.param({"policies": Policies(is_suspended=True)}, id="it is suspended since"),
        pytest.param({"is_deleting": True}, id="it is being deleted"),
    ],
)
def test_plan_of_a_gang_that_waits_no_more_is_not_shown(state, changes):
    state.apply_gang(replace(gang_fact(version="2"), **changes))

    assert drawn(state, planned()) == []


def test_plan_of_a_gang_that_is_gone_is_not_shown(state):
    assert drawn(state, planned("another")) == []


def test_plan_of_a_gang_that_has_started_since_is_not_shown(state):
    state.assumptions.hold(reservation(start=NOW, finish=NOW + 60))

    assert [stage for _, stage, *_ in drawn(state, planned())] == ["reserved"]


def test_end_of_an_overrun_is_the_one_that_gangs_behind_are_planned_around(state):
    state.assumptions.hold(reservation(start=0.0, finish=990.0))

    [(_, _, _, at_the_plan, _)] = drawn(state, planned_at=1000.0, now=1000.0)
    [(_, _, _, later, _)] = drawn(state, planned_at=1000.0, now=1010.0)
    [(_, _, _, much_later, _)] = drawn(state, planned_at=1000.0, now=1100.0)

    # A twentieth later than predicted; once that has passed too, the step after now.
    assert (at_the_plan, later, much_later) == pytest.approx((990 * 1.05, 990 * 1.05, 990 * 1.05**3))
