"""What an attempt that is torn down waits for, and when a message says what a person has to do."""

import pytest

from builders.facts import node_fact, pod_fact
from coschedule import Taint
from lockstep.act.members.remaining_pods import kept_by, left_behind, waits_for
from lockstep.belief.lost_nodes import OUT_OF_SERVICE, LostNodes, counts_as_gone
from lockstep.belief.state import State
from lockstep.facts.pods.pod import PodPhase

NOW = 1000.0
ADVICE = "If node n5 is dead, delete the pods there or taint the node node.kubernetes.io/out-of-service"


def cluster(*nodes):
    state = State(lambda: None)
    for node in nodes:
        state.nodes.apply(node)
    return state, LostNodes(state, unreachable_after=300, monotonic=lambda: 0.0)


def says(*pods, nodes=()):
    return waits_for(pods, *cluster(*nodes), NOW)


def test_nothing_is_waited_for_when_nothing_is_there():
    assert says() == ""


def test_pods_are_named_with_their_nodes():
    pods = [pod_fact("g-1-1", node="n5", gone_by=NOW + 30), pod_fact("g-1-0")]

    assert says(*pods, nodes=[node_fact("n5")]) == "it waits for g-1-0, g-1-1 on n5"


def test_so_many_pods_are_named_and_the_others_counted():
    pods = [pod_fact(f"g-1-{rank:04}", node="n5") for rank in range(10_000)]

    assert says(*pods, nodes=[node_fact("n5")]).endswith("g-1-0005 on n5 and 9994 more")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("node", "gone_by", "is_advised"),
    [
        pytest.param(node_fact("n5"), None, False, id="it is not being deleted yet"),
        pytest.param(node_fact("n5"), NOW, False, id="its grace period goes on"),
        pytest.param(node_fact("n5"), NOW - 1, True, id="it has outstayed its grace period"),
        pytest.param(node_fact("n5", ready=False), None, True, id="its node is not ready"),
        pytest.param(node_fact("other"), NOW - 1, False, id="its node is gone"),
    ],
)
async def test_advice_is_only_given_where_the_node_may_be_dead(node, gone_by, is_advised):
    said = says(pod_fact("g-1-2", node="n5", gone_by=gone_by), nodes=[node])

    assert said == "it waits for g-1-2 on n5" + (f". {ADVICE}" if is_advised else "")


def test_no_advice_is_given_where_it_has_been_followed():
    node = node_fact("n5", ready=False, taints=[Taint(OUT_OF_SERVICE, "", "NoExecute")])

    assert says(pod_fact("g-1-2", node="n5", gone_by=NOW - 1), nodes=[node]) == (
        "it waits for g-1-2 on n5, which is out of service"
    )


def test_several_nodes_are_named_once_each():
    pods = [pod_fact(f"g-1-{rank}", node=f"n{rank % 2}") for rank in range(4)]
    nodes = [node_fact(name, ready=False) for name in ("n0", "n1")]

    assert says(*pods, nodes=nodes).endswith(
        "If nodes n0, n1 are dead, delete the pods there or taint each node.kubernetes.io/out-of-service"
    )


HOLD = ("example.com/hold",)


@pytest.mark.parametrize("phase", PodPhase)
@pytest.mark.parametrize("node", ["", "n5"])
@pytest.mark.parametrize("deleting", [False, True])
def test_pod_that_is_being_deleted_and_takes_no_room_counts_as_gone(phase, node, deleting):
    pod = pod_fact("g-1-0", node=node, phase=phase, deleting=deleting)
    _, lost_nodes = cluster(node_fact("n5"))

    takes_none = not node or phase in (PodPhase.SUCCEEDED, PodPhase.FAILED)
    assert counts_as_gone(pod, lost_nodes) is (deleting and takes_none)


def test_pod_that_is_being_deleted_on_a_lost_node_counts_as_gone():
    _, lost_nodes = cluster(node_fact("n5", taints=[Taint(OUT_OF_SERVICE, "", "NoExecute")]))
    pod = pod_fact("g-1-0", node="n5", phase=PodPhase.RUNNING, deleting=True)

    assert counts_as_gone(pod, lost_nodes)


@pytest.mark.parametrize(
    ("finalizers", "want"),
    [
        ((), ""),
        (HOLD, ", kept by the finalizer example.com/hold"),
        (("a/x", "b/y"), ", kept by the finalizers a/x, b/y"),
        (
            tuple(f"a/{number}" for number in range(100)),
            ", kept by the finalizers a/0, a/1, a/2, a/3, a/4, a/5 and 94 more",
        ),
    ],
)
def test_finalizers_are_named(finalizers, want):
    assert kept_by(pod_fact("g-1-0", finalizers=finalizers)) == want


def test_pod_that_is_waited_for_names_the_finalizer_that_may_keep_it():
    pod = pod_fact("g-1-2", node="n5", phase=PodPhase.RUNNING, deleting=True, finalizers=HOLD)

    assert says(pod, nodes=[node_fact("n5")]) == "it waits for g-1-2 on n5, kept by the finalizer example.com/hold"


def test_pod_that_has_ended_is_no_reason_to_take_its_node_for_dead():
    pod = pod_fact("g-1-2", node="n5", phase=PodPhase.FAILED, deleting=True, gone_by=NOW - 1, finalizers=HOLD)

    assert "dead" not in says(pod, nodes=[node_fact("n5")])


def test_what_is_left_behind_is_named_with_what_keeps_it():
    lost = pod_fact("g-1-0", node="n1", phase=PodPhase.RUNNING, deleting=True)
    kept = pod_fact("g-1-1", node="n5", phase=PodPhase.FAILED, deleting=True, finalizers=HOLD)
    nodes = [node_fact("n1", taints=[Taint(OUT_OF_SERVICE, "", "NoExecute")]), node_fact("n5")]

    want = "there: g-1-0 on n1, which is out of service, g-1-1 on n5, kept by the finalizer example.com/hold"
    assert left_behind([kept, lost], cluster(*nodes)[1]) == want
    assert left_behind([], cluster()[1]) == ""
