"""The phase of a gang follows from its status, from what is reserved for it, and from what stands in its way."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, reservation
from lockstep.belief.gangs.phases import Phase, phase_of
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.gang.after import Predecessor, PredecessorKind, PredecessorOutcome, Recorded
from lockstep.facts.gang.gang import Members, Refusal
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition, Reason

REFUSAL = Refusal(Reason.INVALID_SPEC, "no")


def true(*kinds, **more):
    return GangStatus(conditions=tuple(ConditionFact(kind, "True", "Because", "", 1, 0.0) for kind in kinds), **more)


SUCCEEDED = GangStatus(after=(Recorded("other", PredecessorKind.GANG_JOB, "1", PredecessorOutcome.SUCCEEDED, 1.0),))


def phase(status=None, *, deleting=False, reserved=False, refusal=None, resting=False, suspended=False, after=()):
    policies = Policies(is_suspended=suspended, after=tuple(Predecessor(name) for name in after))
    gang = gang_fact("g", status=status, deleting=deleting, policies=policies)
    return phase_of(gang, is_reserved=reserved, refusal=refusal, is_resting=resting)


@pytest.mark.parametrize(
    ("facts", "want"),
    [
        pytest.param({}, Phase.WAITING, id="nothing stands in its way"),
        pytest.param({"resting": True}, Phase.BACKING_OFF, id="it failed"),
        pytest.param({"refusal": REFUSAL}, Phase.REFUSED, id="its spec can't be obeyed"),
        pytest.param({"refusal": REFUSAL, "resting": True}, Phase.REFUSED, id="refused while it rests"),
        pytest.param({"suspended": True}, Phase.SUSPENDED, id="suspended"),
        pytest.param({"suspended": True, "resting": True}, Phase.SUSPENDED, id="suspended while it rests"),
        pytest.param({"suspended": True, "refusal": REFUSAL}, Phase.REFUSED, id="suspended and refused"),
        pytest.param({"suspended": True, "deleting": True}, Phase.DELETED, id="suspended and deleted"),
        pytest.param({"suspended": True, "reserved": True}, Phase.RESERVED, id="suspended while members may exist"),
        pytest.param({"status": true(Condition.SUSPENDED)}, Phase.SUSPENDED, id="resumed, and not reported yet"),
        pytest.param({"suspended": True, "status": true(Condition.COMPLETE)}, Phase.COMPLETE, id="complete, suspended"),
        pytest.param({"deleting": True, "refusal": REFUSAL}, Phase.DELETED, id="deleted and refused"),
        pytest.param({"reserved": True}, Phase.RESERVED, id="reserved"),
        pytest.param({"reserved": True, "deleting": True}, Phase.RESERVED, id="deleted while members may exist"),
        pytest.param({"reserved": True, "refusal": REFUSAL}, Phase.RESERVED, id="refused while members may exist"),
        pytest.param({"reserved": True, "status": true(Condition.PLACED)}, Phase.PLACED, id="placed"),
        pytest.param({"status": true(Condition.PLACED)}, Phase.WAITING, id="placed once, nothing reserved"),
        pytest.param({"reserved": True, "status": true(Condition.COMPLETE)}, Phase.COMPLETE, id="complete"),
        pytest.param({"deleting": True, "status": true(Condition.COMPLETE)}, Phase.COMPLETE, id="complete, deleted"),
        pytest.param({"after": ["other"]}, Phase.AWAITS_OTHERS, id="waits for another"),
        pytest.param({"after": ["other"], "resting": True}, Phase.AWAITS_OTHERS, id="waits for another, rests"),
        pytest.param({"after": ["other"], "suspended": True}, Phase.SUSPENDED, id="waits for another, suspended"),
        pytest.param(
            {"after": ["other"], "reserved": True}, Phase.RESERVED, id="named another while members may exist"
        ),
        pytest.param({"after": ["other"], "status": SUCCEEDED}, Phase.WAITING, id="the other has succeeded"),
        pytest.param({"after": ["other", "b"], "status": SUCCEEDED}, Phase.AWAITS_OTHERS, id="one of two has"),
    ],
)
def test_phase_follows_from_the_facts(facts, want):
    assert phase(**facts) is want


def test_only_gangs_that_wait_are_planned_and_only_reserved_ones_hold_nodes():
    assert {one for one in Phase if one.is_planned} == {Phase.WAITING, Phase.BACKING_OFF}
    assert {one for one in Phase if one.holds_nodes} == {Phase.RESERVED, Phase.PLACED}


def test_belief_refuses_what_the_spec_names_and_does_not_exist():
    state = State(lambda: None)
    gang = gang_fact("g", spec=gang_spec(priority_class="urgent"))
    state.apply_gang(gang)
    assert (state.phase_of(gang), state.refusal_of(gang).reason) == (Phase.REFUSED, Reason.UNKNOWN_PRIORITY_CLASS)

    state.priorities.apply(PriorityClass("urgent", 1, is_default=False))
    assert (state.phase_of(gang), state.refusal_of(gang)) == (Phase.WAITING, None)
    assert state.phase_of(gang, is_resting=True) is Phase.BACKING_OFF


def test_belief_asks_a_gang_whose_spec_is_refused_for_nothing_else():
    state = State(lambda: None)
    gang = gang_fact("g").refused(REFUSAL)

    assert state.phase_of(gang) is Phase.REFUSED


def test_gang_holds_nodes_by_its_status_or_by_what_is_held_here():
    state = State(lambda: None)
    by_status = gang_fact("g", status=GangStatus(attempt=1, members=(Members("n1", 2),), start=0.0, reserved_at=0.0))
    assert state.phase_of(by_status) is Phase.RESERVED

    state.assumptions.hold(reservation("h"))
    assert state.phase_of(gang_fact("h")) is Phase.RESERVED


def test_gang_beyond_the_bounds_is_refused_once_it_holds_nothing():
    state = State(lambda: None)
    status = true(Condition.PLACED, attempt=1, members=(Members("n1", 2),), start=0.0, reserved_at=0.0)
    gang = gang_fact("g", spec=replace(gang_spec(), excess="template: too large"), status=status)
    state.apply_gang(gang)
    assert state.phase_of(gang) is Phase.PLACED

    released = replace(gang, resource_version="2", status=replace(status, reserved_at=None))
    state.assumptions.forget(gang.key)
    state.apply_gang(released)

    assert (state.phase_of(released), state.refusal_of(released).reason) == (Phase.REFUSED, Reason.INVALID_SPEC)
    assert state.refusal_of(released).message.startswith("template: too large. ")
