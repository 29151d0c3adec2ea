"""Gangs that wait for others, in the queue, in explanations, and in plans of files."""

from dataclasses import replace

from builders.facts import gang_fact, gang_spec, node_fact
from lockstep.answers.plan.document import unplanned_document
from lockstep.answers.plan.text import unplanned_lines
from lockstep.answers.plan.unplanned_gangs import answer_unplanned
from lockstep.answers.queue.queue import queue_of
from lockstep.answers.supposing.predecessors import record_predecessors
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.state import State
from lockstep.facts.gang.after import Predecessor, PredecessorKind, Recorded
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.reasons import Condition
from lockstep.report.status.awaiting_marks import mark_awaiting_others

NOW = 1000.0
AFTER = Policies(after=(Predecessor("first"),))
ESTIMATE = StartEstimate(
    likely_start=2000.0,
    late_start=None,
    promised_start=None,
    expected_finish=3000.0,
    size=2,
    kinds=(),
    position=3,
    waits_for="",
    changed_at=NOW,
    changed_because="FirstPlanned",
)
WHY = "It waits until first has succeeded."


def waiting(plan=ESTIMATE):
    """A gang whose status says that it waits for another."""
    gang = gang_fact("late", spec=gang_spec(), policies=AFTER)
    status = mark_awaiting_others(gang, (), WHY, now=NOW)
    return gang_fact("late", spec=gang_spec(), policies=AFTER, status=replace(status, plan=plan))


def state_with(*gangs):
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    for one in gangs:
        state.apply_gang(one)
    return state


def test_queue_has_the_gang_with_what_it_waits_for_and_its_likely_start():
    (queued,) = queue_of([waiting()], NOW, are_all=False)
    assert (queued.behind, queued.start, queued.size, queued.latest) == (WHY, 2000.0, 2, None)


def test_queue_has_a_gang_whose_start_is_unknown():
    (queued,) = queue_of([waiting(plan=None)], NOW, are_all=True)
    assert (queued.behind, queued.start, queued.position) == (WHY, None, None)


def test_explanation_says_what_it_waits_for_and_when_it_is_likely_to_start():
    gang = waiting()
    answer = answer_unplanned(state_with(gang), gang)
    text = " ".join(unplanned_lines(answer))

    assert "default/late waits for others. It waits until first has succeeded." in text
    assert "likely to start at 1970-01-01T00:33:20Z with 2 members" in text
    assert unplanned_document(answer)["likelyStart"] == "1970-01-01T00:33:20Z"
    assert unplanned_document(answer)["phase"] == "AwaitsOthers"


def test_supposed_gang_knows_what_has_become_of_the_other():
    done = ConditionFact(Condition.COMPLETE, "True", "Succeeded", "", 1, 9.0)
    late, status = gang_fact("late", policies=AFTER), GangStatus(conditions=(done,), finished_at=9.0)
    state = state_with(late, gang_fact("first", status=status))
    assert state.phase_of(state.gangs[late.key]) is Phase.AWAITS_OTHERS
    record_predecessors(state, late.key)
    assert state.phase_of(state.gangs[late.key]) is Phase.WAITING


def test_supposed_gang_waits_for_one_that_has_not_ended():
    late, first = gang_fact("late", policies=AFTER), gang_fact("first")
    state = state_with(late, first)
    record_predecessors(state, late.key)

    assert state.gangs[late.key].status.after == (Recorded("first", PredecessorKind.GANG_JOB, first.uid),)
    assert answer_unplanned(state, state.gangs[late.key]).message == WHY
