"""Belief, frozen for the planner."""

import math

import numpy as np
import pytest

from builders.facts import ONE_CPU, bid_fact, gang_fact, gang_spec, member_fact, node_fact, pod_fact, reservation
from coschedule import Interruptible, Load, Release, Taint, encode_snapshot
from lockstep.belief.state import State
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.cluster.node import ExpectedHour, OnReturn
from lockstep.facts.columns import WHOLE
from lockstep.facts.pods.pod import PodPhase
from lockstep.snapshot.holders.endings import expected_finish
from lockstep.snapshot.nodes.node_arrays import UNLIMITED
from lockstep.snapshot.snapshots import SnapshotCutter

NOW = 1000.0


@pytest.fixture
def state():
    return State(lambda: None)


def cut(state, *gangs, now=NOW):
    return SnapshotCutter(state).cut(now, gangs or [gang_fact("g")])


def end_of(steps):
    """What a generator returns in the end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def column(snapshot, resource):
    return snapshot.free[:, snapshot.resources.index(resource)].tolist()


def test_nodes_are_in_the_order_of_their_names(state):
    for name in ("n2", "n10", "n1"):
        state.nodes.apply(node_fact(name, labels={"is": name}))
    table = cut(state).nodes

    assert table.names == ("n1", "n10", "n2")
    assert [labels["is"] for labels in table.labels] == ["n1", "n10", "n2"]


def test_conditions_of_nodes_are_in_the_snapshot(state):
    taint = Taint("pool", "x", "NoSchedule")
    state.nodes.apply(node_fact("a", ready=False))
    state.nodes.apply(node_fact("b", cordoned=True, taints=[taint]))
    table = cut(state).nodes

    assert (table.ready.tolist(), table.unschedulable.tolist(), table.taints) == (
        [False, True],
        [False, True],
        ((), (taint,)),
    )


def test_free_is_what_can_be_held_less_what_is_committed(state):
    state.nodes.apply(node_fact("n1", cpu=4000, pods=10))
    state.nodes.apply(node_fact("n2", cpu=8000, pods=10))
    state.apply_pod(pod_fact("p", node="n1", phase=PodPhase.RUNNING))
    state.apply_pod(pod_fact("q", node="n1", request=(("cpu", 500), ("memory", 9), ("pods", 1))))
    state.assumptions.hold(reservation("held", members=(("n2", 3),)))

    snapshot = cut(state)

    assert snapshot.resources == ("bid slots", "cpu", "pods")
    assert (column(snapshot, "cpu"), column(snapshot, "pods")) == ([2500, 5000], [8, 7])


def test_only_resources_that_gangs_ask_for_are_columns(state):
    state.nodes.apply(node_fact("n1"))
    wants_gpu = gang_fact("a", spec=gang_spec(request=(("example.com/gpu", 2), ("pods", 1))))

    snapshot = cut(state, wants_gpu, gang_fact("b"))

    assert snapshot.resources == ("bid slots", "cpu", "example.com/gpu", "pods")
    assert [gang.roles[0].request for gang in snapshot.gangs] == [(0, 0, 2, 1), (1, 1000, 0, 1)]
    assert column(snapshot, "example.com/gpu") == [0]


def test_node_that_is_overcommitted_has_less_than_nothing_free(state):
    state.nodes.apply(node_fact("n1", cpu=1000))
    for name in ("p", "q"):
        state.apply_pod(pod_fact(name, node="n1"))

    assert column(cut(state), "cpu") == [-1000]


def test_slots_of_a_bid_are_a_column(state):
    for name in ("n1", "n2", "n3"):
        state.nodes.apply(node_fact(name))
    state.bids.apply(bid_fact("n1", slots=2))
    state.bids.apply(bid_fact("n2"))
    state.assumptions.hold(reservation("held", members=(("n1", 1),)))
    state.apply_pod(pod_fact("foreign", node="n1", request=(("cpu", 100), ("pods", 1))))

    assert column(cut(state), "bid slots") == [1, UNLIMITED, UNLIMITED]


def test_host_port_is_free_once_a_node(state):
    port = "host port TCP 80"
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.apply_pod(pod_fact("server", node="n1", request=((port, WHOLE), ("pods", 1))))

    assert column(cut(state, gang_fact(spec=gang_spec(request=((port, WHOLE), ("pods", 1))))), port) == [0, WHOLE]


def test_disk_is_free_for_readers_without_a_writer(state):
    disk = "disk GCE data"
    for name in ("n1", "n2", "n3"):
        state.nodes.apply(node_fact(name))
    state.apply_pod(pod_fact("writer", node="n1", request=((disk, WHOLE), ("pods", 1))))
    state.apply_pod(pod_fact("reader", node="n2", request=((disk, 1), ("pods", 1))))

    assert column(cut(state, gang_fact(spec=gang_spec(request=((disk, 1),)))), disk) == [0, WHOLE - 1, WHOLE]


def test_bids_are_columns_and_absent_ones_have_defaults(state):
    for name in ("n1", "n2", "n3"):
        state.nodes.apply(node_fact(name))
    state.bids.apply(bid_fact("n1", slowdown=1.5, since=NOW + 40, until=NOW + 90))
    state.bids.apply(bid_fact("n2", slowdown=0.5))
    state.bids.apply(bid_fact("gone-node", slowdown=9.0))
    snapshot = cut(state)

    assert snapshot.slowdown.tolist() == [1.5, 0.5, 1.0]
    assert snapshot.start.tolist() == [NOW + 40, 0, 0]
    assert snapshot.until.tolist() == [NOW + 90, math.inf, math.inf]


def test_owners_and_who_may_be_interrupted_are_carried(state):
    for name in ("n1", "n2", "n3"):
        state.nodes.apply(node_fact(name))
    expected = (ExpectedHour(NOW, 0.25),)
    state.bids.apply(bid_fact("n2", forecast=expected, on_return=OnReturn.EVICT))
    state.bids.apply(bid_fact("n3", forecast=expected, owner_present=True))
    snapshot = cut(state, gang_fact(spec=gang_spec(interruptible=Interruptible.FREELY)))

    assert snapshot.forecasts.returns[:, 1].tolist() == [0.0, pytest.approx(0.25), 0.0]
    assert snapshot.start.tolist() == [0, 0, math.inf]
    assert snapshot.gangs[0].interruptible is Interruptible.FREELY


def test_without_forecasts_there_are_none(state):
    state.nodes.apply(node_fact("n1"))

    assert cut(state).forecasts.hours == 0


def test_node_that_was_taken_back_at_the_beginning_of_time_is_not_open(state):
    state.nodes.apply(node_fact("n1"))
    state.bids.apply(bid_fact("n1", until=0.0))

    assert cut(state).until.tolist() == [0.0]


def test_load_that_an_expired_bid_measured_no_longer_counts(state):
    state.nodes.apply(node_fact("n1"))
    state.bids.apply(bid_fact("n1", slowdown=2.0, duty_cycle=1.0, expires=NOW))
    cutter = SnapshotCutter(state)
    assert cutter.cut(NOW - 1, [gang_fact()]).slowdown.tolist() == [2.0]

    state.bids.expire(NOW)
    assert cutter.cut(NOW, [gang_fact()]).slowdown.tolist() == [1.0]


def test_what_nodes_and_bids_give_is_built_once(state):
    state.nodes.apply(node_fact("n1"))
    cutter = SnapshotCutter(state)
    first = cutter.cut(NOW, [gang_fact()])
    state.apply_pod(pod_fact("p", node="n1"))
    second = cutter.cut(NOW, [gang_fact()])
    state.nodes.apply(node_fact("n1", cpu=1))
    third = cutter.cut(NOW, [gang_fact()])

    assert second.nodes is first.nodes
    assert third.nodes is not first.nodes
    assert column(third, "cpu") == [1 - 1000]


def test_cutter_forgets_nothing_of_a_new_generation(state):
    state.nodes.apply(node_fact("n1"))
    cutter = SnapshotCutter(state)
    cutter.cut(NOW, [gang_fact()])
    state.nodes.apply(node_fact("n0", cpu=3000))
    state.nodes.remove("n1")

    assert column(cutter.cut(NOW, [gang_fact()]), "cpu") == [3000]


def test_gangs_give_back_what_they_hold_at_their_expected_end(state):
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.assumptions.hold(reservation("held", members=(("n1", 2), ("n2", 1)), finish=NOW + 60))

    assert set(cut(state).releases) == {
        Release(node=0, request=(2, 2000, 2), time=NOW + 60),
        Release(node=1, request=(1, 1000, 1), time=NOW + 60),
    }


def test_what_has_ended_is_free_and_not_given_back_again(state):
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.assumptions.hold(reservation("held", finish=NOW + 60))
    state.apply_pod(member_fact("held", rank=0, node="n1", phase=PodPhase.SUCCEEDED))
    snapshot = cut(state)

    assert snapshot.releases == (Release(node=1, request=(1, 1000, 1), time=NOW + 60),)
    assert column(snapshot, "cpu") == [8000, 7000]


def test_gang_of_unknown_end_gives_nothing_back(state):
    state.nodes.apply(node_fact("n1"))
    state.assumptions.hold(reservation("held", members=(("n1", 1),)))

    assert cut(state).releases == ()


def test_release_on_a_node_that_is_gone_is_left_out(state):
    state.nodes.apply(node_fact("n1"))
    state.assumptions.hold(reservation("held", members=(("gone", 1), ("n1", 1)), finish=NOW + 60))

    assert [release.node for release in cut(state).releases] == [0]


@pytest.mark.parametrize(
    ("finish", "now", "want"),
    [
        pytest.param(None, 50, None, id="unknown"),
        pytest.param(100, 50, 100, id="as predicted"),
        pytest.param(100, 100, 105, id="due: a twentieth later"),
        pytest.param(100, 104, 105, id="overdue: the same until that has passed"),
    ],
)
def test_expected_finish(finish, now, want):
    assert expected_finish(reservation(start=0, finish=finish), now) == want


def test_gang_is_in_the_snapshot(state):
    state.nodes.apply(node_fact("n1"))
    state.priorities.apply(PriorityClass("urgent", 7, is_default=False))
    gang = gang_fact(created=900.0, spec=gang_spec(size=2, most=5, priority_class="urgent", deadline=300.0))
    [pending] = cut(state, gang).gangs

    assert (pending.key, pending.priority, pending.created) == (gang.key, 7, 900.0)
    [role] = pending.roles
    assert (role.sizes.minimum, role.sizes.maximum, pending.deadline) == (2, 5, 1200.0)
    assert role.request == (1, 1000, 1)


def test_load_is_in_the_snapshot(state):
    snapshot = cut(state, gang_fact("a"), gang_fact("b", spec=gang_spec(pieces=9)))

    assert [(gang.roles[0].load, gang.roles[0].pieces) for gang in snapshot.gangs] == [
        (Load.EQUAL, None),
        (Load.PIECES, 9),
    ]


def test_snapshot_names_the_generation_it_was_cut_from(state):
    state.nodes.apply(node_fact("n1"))

    assert cut(state).generation == state.changes.generation


def test_snapshot_that_is_cut_while_belief_changes_is_that_of_its_first_step(state):
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.priorities.apply(PriorityClass("urgent", 7, is_default=False))
    gangs = [gang_fact(name, spec=gang_spec(priority_class="urgent")) for name in ("a", "b")]
    for gang in gangs:
        state.apply_gang(gang)
    cutter, generation = SnapshotCutter(state), state.changes.generation
    want = cutter.cut(NOW, gangs)
    drawing = cutter.drawn(NOW, gangs)
    next(drawing)
    state.assumptions.hold(reservation("a", members=(("n1", 1),)))
    state.nodes.remove("n2")
    state.priorities.remove("urgent")
    state.remove_gang(gangs[1].key, gangs[1].uid)
    drawn = end_of(drawing)

    assert encode_snapshot(drawn) == encode_snapshot(want)
    assert drawn.generation == generation != state.changes.generation


def test_snapshot_of_no_node_has_no_rows(state):
    snapshot = cut(state)

    assert snapshot.free.shape == (0, len(ONE_CPU))
    assert snapshot.free.dtype == np.int64


def test_room_that_is_made_for_a_pod_is_in_the_snapshot(state):
    for name in ("n1", "n2"):
        state.nodes.apply(node_fact(name))
    state.apply_pod(pod_fact("urgent", nominated="n2", priority=7))
    state.apply_pod(pod_fact("there", node="n2", nominated="n2", request=()))
    state.apply_pod(pod_fact("elsewhere", nominated="gone"))

    [pod] = cut(state).nominated

    assert (pod.node, pod.request, pod.priority) == (1, (1, 1000, 1), 7)


def test_nomination_is_a_change_and_so_is_its_end(state):
    state.nodes.apply(node_fact("n2"))
    waiting, urgent = pod_fact("urgent"), pod_fact("urgent", nominated="n2")
    state.apply_pod(waiting)

    for change in (
        lambda: state.apply_pod(urgent),
        lambda: state.apply_pod(waiting),
        lambda: state.apply_pod(urgent),
        lambda: state.remove_pod(urgent.key, urgent.uid),
    ):
        state.changes.begin_plan()
        change()
        assert state.changes.is_plan_due
