"""Gangs whose pods run, as the planner sees them: what an eviction would free and lose."""

import math
from dataclasses import replace

import pytest

from builders.facts import node_fact, pod_fact
from builders.pod_gangs import pod_gang
from builders.statuses import NOW
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import GroupMember, grouped
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import Membership, PodPhase
from lockstep.facts.reasons import Condition, Reason
from lockstep.snapshot.holders.pod_gang_runs import run_of, yielding_pod_gangs
from lockstep.snapshot.holders.running import gangs_that_hold
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.snapshots import SnapshotCutter

BOUND = ConditionFact(Condition.PLACED, "True", Reason.BOUND, "", 1, NOW)
COLUMNS, INDEX = Columns(("cpu",), {}), {"n1": 0, "n2": 1}
OWNER = "uid-of-owner"


def job_gang(name="job.heat", **status):
    """Describe a placed Gang that was made for a Job."""
    return replace(pod_gang(2, name=name, status=GangStatus(conditions=(BOUND,), attempt=1, **status)), made_for=OWNER)


def state_with(gang, *pods, sources=(Source.JOB,)):
    """A state with two nodes, that Gang and its pods, and the right to suspend owners of these sources."""
    state = State(lambda: None)
    for name in INDEX:
        state.nodes.apply(node_fact(name, cpu=4000))
    state.pod_gang_facts.apply(gang)
    for pod in pods:
        state.apply_pod(pod)
    state.pod_gangs.yielding.allow(*sources)
    return state


def pod_of(gang, name, *, node="n1", rank=0, owner=OWNER, **more):
    """Describe a pod of that Gang that runs since 100 seconds."""
    fields = {key: more.pop(key) for key in ("priority", "is_deleting", "gone_by") if key in more}
    pod = replace(pod_fact(name, node=node, phase=PodPhase.RUNNING, cpu=1000), **fields)
    seat = Membership(gang.key, gang.uid, 1, rank)
    return grouped(pod, GroupMember(gang.key, seat, None, owner=owner, **{"since": NOW - 100, **more}))


def runs(state):
    return [run_of(state, gang, INDEX, COLUMNS, NOW) for gang in yielding_pod_gangs(state)]


def test_gang_frees_what_its_pods_hold_and_loses_what_they_have_run():
    gang = job_gang()
    pods = (pod_of(gang, "a", priority=5), pod_of(gang, "b"), pod_of(gang, "c", node="n2", grace_seconds=60))
    [run] = runs(state_with(gang, *pods))

    assert [(held.node, held.request[0]) for held in run.holds] == [(0, 2000), (1, 1000)]
    assert (run.size, run.priority, run.grace, run.end) == (3, 5, 60, math.inf)
    assert run.lost_work(NOW) == pytest.approx(300)


def test_end_of_a_gang_with_work_is_that_of_its_releases():
    gang = job_gang(start=NOW - 10, expected_finish=NOW + 90)
    state = state_with(gang, pod_of(gang, "a"))
    [run] = runs(state)

    assert [one.time for one in SnapshotCutter(state).cut(NOW, []).releases] == [run.end] == [NOW + 90]


GANG = job_gang()


@pytest.mark.parametrize(
    ("gang", "pods", "sources"),
    [
        pytest.param(GANG, [], [Source.JOB], id="no pods"),
        pytest.param(GANG, [pod_of(GANG, "a")], [], id="no right"),
        pytest.param(GANG, [pod_of(GANG, "a", owner="another")], [Source.JOB], id="pods of another owner"),
        pytest.param(GANG, [pod_of(GANG, "a", grace_seconds=3_601)], [Source.JOB], id="more than an hour to end"),
        pytest.param(GANG, [pod_of(GANG, "a", is_deleting=True)], [Source.JOB], id="pods that end"),
        pytest.param(job_gang(reserved_at=NOW), [pod_of(GANG, "a")], [Source.JOB], id="an attempt is under way"),
        pytest.param(replace(GANG, is_deleting=True), [pod_of(GANG, "a")], [Source.JOB], id="it is being deleted"),
    ],
)
def test_gang_does_not_give_way(gang, pods, sources):
    assert runs(state_with(gang, *pods, sources=sources)) == []


def test_gang_that_does_not_give_way_holds_nodes_all_the_same():
    gang = pod_gang(1, name="heat")
    state = state_with(gang, pod_of(gang, "a"))

    assert [one.key for one in gangs_that_hold(state, INDEX, COLUMNS, NOW)] == [gang.key]
    assert runs(state) == []


def test_pods_of_an_owner_that_is_being_suspended_release_their_room_after_their_grace():
    state = state_with(GANG, pod_of(GANG, "a", grace_seconds=20))
    state.pod_gangs.yielding.begin(GANG.key)

    assert [one.time for one in SnapshotCutter(state).cut(NOW, []).releases] == [NOW + 20]


def test_pods_that_are_being_deleted_release_their_room_when_they_are_gone():
    state = state_with(GANG, pod_of(GANG, "a", is_deleting=True, gone_by=NOW + 7, grace_seconds=20))

    [release] = SnapshotCutter(state).cut(NOW, []).releases
    assert (release.time, release.node) == (NOW + 7, 0)
    assert SnapshotCutter(state).cut(NOW + 8, []).releases[0].time > NOW + 8
