"""What the pods of Gangs release at the expected end of their Gang."""

from dataclasses import replace

from builders.facts import node_fact, pod_fact
from builders.pod_gangs import pod_gang
from builders.statuses import NOW
from lockstep.belief.common.steps import at_once
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import Membership, PodPhase
from lockstep.facts.reasons import Condition, Reason
from lockstep.snapshot.holders.endings import next_plan_for_ends
from lockstep.snapshot.snapshots import SnapshotCutter

BOUND = ConditionFact(Condition.PLACED, "True", Reason.BOUND, "", 1, NOW)
PLACED = GangStatus(conditions=(BOUND,), attempt=1, start=NOW, expected_finish=NOW + 100)


def state_with(status, *pods):
    """A state with one node, and a Gang with that status and these pods."""
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1", cpu=4000))
    gang = pod_gang(2, status=status)
    state.pod_gang_facts.apply(gang)
    for rank, (name, phase) in enumerate(pods):
        pod = pod_fact(name, node="n1", phase=phase)
        state.apply_pod(grouped(pod, GroupMember(gang.key, Membership(gang.key, gang.uid, 1, rank), None)))
    return state


def times(state, now):
    """When something is released."""
    return [one.time for one in SnapshotCutter(state).cut(now, []).releases]


RUNNING, ENDED = PodPhase.RUNNING, PodPhase.SUCCEEDED


def test_pods_are_expected_to_end_with_their_gang():
    assert times(state_with(PLACED, ("a", RUNNING), ("b", RUNNING)), NOW) == [NOW + 100]


def test_an_overrun_moves_the_end():
    state = state_with(PLACED, ("a", RUNNING))

    assert times(state, NOW + 101) == [NOW + 105]
    assert at_once(next_plan_for_ends(state, NOW + 101)) >= NOW + 105


def test_pods_that_have_ended_release_nothing_more():
    state = state_with(PLACED, ("a", ENDED), ("b", ENDED))

    assert times(state, NOW) == []


def test_release_follows_the_pods():
    state = state_with(PLACED, ("a", RUNNING))
    cutter = SnapshotCutter(state)
    assert len(cutter.cut(NOW, []).releases) == 1

    state.remove_pod(pod_fact("a").key, pod_fact("a").uid)

    assert cutter.cut(NOW, []).releases == ()


def test_only_pod_of_a_gang_is_released_once_when_it_is_asked_to_end():
    state = state_with(PLACED, ("a", RUNNING))
    cutter = SnapshotCutter(state)
    assert [one.time for one in cutter.cut(NOW, []).releases] == [NOW + 100]

    pod = state.pods[pod_fact("a").key]
    state.apply_pod(replace(pod, is_deleting=True, gone_by=NOW + 30))

    assert [one.time for one in cutter.cut(NOW, []).releases] == [NOW + 30]


def test_gang_without_work_and_one_that_is_being_bound_have_no_end():
    unknown = replace(PLACED, expected_finish=None)
    assert times(state_with(unknown, ("a", RUNNING)), NOW) == []
    assert at_once(next_plan_for_ends(state_with(unknown, ("a", RUNNING)), NOW)) == float("inf")
