"""When a gang is refused because kubelets reject its members, and what lifts that."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, node_fact, role_spec
from coschedule import Constraints, Taint
from lockstep.api.pool import Pool
from lockstep.belief.gangs.phases import Phase
from lockstep.belief.losses import record_lost, resume_rejection
from lockstep.belief.nodes.failed_nodes import AVOID_SECONDS
from lockstep.belief.state import State
from lockstep.facts.gang.rejection import MOST_NODES
from lockstep.facts.pods.failure import LostOn
from lockstep.facts.pods.pod import PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.reasons import Reason
from lockstep.report.status.conditions import mark_refused

SYSCTL = "SysctlForbidden"
WORDS = f"{SYSCTL}: Pod was rejected: forbidden sysctl"
GANG = gang_fact("g")
FAST = gang_fact(
    "g", spec=gang_spec(roles=(replace(role_spec(), constraints=Constraints(node_selector=(("speed", "fast"),))),))
)


def cluster(*nodes, pool=None, gang=GANG):
    state = State(lambda: None, **({} if pool is None else {"pool": pool}))
    for node in nodes or [node_fact(f"n{number}") for number in range(1, 6)]:
        state.nodes.apply(node)
    state.apply_gang(gang)
    return state


def reject(state, *nodes, attempt=1, reason=SYSCTL, words=WORDS, gang=GANG, now=0.0):
    losses = [LostOn(node, PodOutcome.REJECTED, reason, words) for node in nodes]
    return record_lost(state, gang, attempt, losses, now)


def refused(*nodes, **more):
    """A state in which three nodes have rejected the gang."""
    state = cluster(*nodes, **more)
    reject(state, "n1", "n2", "n3", **({"gang": more["gang"]} if "gang" in more else {}))
    return state


def is_refused(state, gang=GANG):
    return state.phase_of(gang) is Phase.REFUSED


def test_same_reason_from_three_nodes_refuses_the_gang_with_the_words_of_the_kubelet():
    state = cluster()
    reject(state, "n1", attempt=1)
    reject(state, "n2", attempt=2)
    assert not is_refused(state)

    reject(state, "n3", attempt=3)

    assert is_refused(state)
    reason, message = state.refusal_of(GANG)
    assert reason == Reason.REJECTED_BY_KUBELETS
    assert message == (
        f"The kubelets of 3 nodes (n1, n2, n3) reject its members for the same reason: {WORDS}. It is planned again "
        "when its spec or a suitable node changes."
    )


def test_three_times_the_same_node_is_no_reason_to_refuse_the_gang():
    state = cluster()
    for attempt in range(1, 4):
        reject(state, "n1", attempt=attempt)

    assert not is_refused(state)


def test_three_reasons_are_no_reason_to_refuse_the_gang():
    state = cluster()
    for node, reason in (("n1", SYSCTL), ("n2", "AppArmor"), ("n3", "PodOSNotSupported")):
        reject(state, node, reason=reason)

    assert not is_refused(state)


def test_kubelets_that_lack_a_resource_do_not_refuse_the_gang():
    """Whatever took it first is gone some time, or known to the next plan."""
    state = cluster()
    reject(state, "n1", "n2", "n3", "n4", reason="OutOfcpu")

    assert not is_refused(state)


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(node_fact("n3", taints=[Taint("own", "", "NoSchedule")]), id="it has a taint by now"),
        pytest.param(node_fact("n3", cordoned=True), id="it is cordoned by now"),
    ],
)
def test_rejection_that_the_next_plan_understands_is_not_counted(node):
    state = cluster()
    state.nodes.apply(node)
    reject(state, "n1", "n2", "n3")

    assert not is_refused(state)


def test_rejection_by_a_node_that_is_gone_is_not_counted():
    state = cluster()
    state.nodes.remove("n3")
    reject(state, "n1", "n2", "n3")

    assert not is_refused(state)


def test_losses_that_are_no_rejections_do_not_refuse_the_gang():
    state = cluster()
    record_lost(state, GANG, 1, [LostOn(f"n{number}", PodOutcome.DISRUPTED) for number in range(1, 5)], 0.0)

    assert not is_refused(state)


def test_other_gang_is_not_refused_with_it():
    state = refused()
    other = gang_fact("h")
    state.apply_gang(other)

    assert not is_refused(state, other)


def test_another_spec_is_not_refused():
    assert not is_refused(refused(), replace(GANG, generation=2))


def test_what_admission_says_lifts_nothing():
    state = refused()

    state.apply_verdict(GANG, {"": GANG.spec.roles[0].needs})

    assert is_refused(state)


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(node_fact("n9"), id="a new node"),
        pytest.param(node_fact("n4", labels={"sysctls": "unsafe"}), id="another label"),
        pytest.param(node_fact("n1", cpu=16000), id="another size, of one that rejected it"),
        pytest.param(node_fact("n1", system="v1.37.0"), id="another kubelet"),
    ],
)
def test_node_that_is_new_or_has_changed_lifts_the_refusal(node):
    state = refused()
    state.changes.begin_plan()

    state.nodes.apply(node)

    assert not is_refused(state)
    assert state.changes.is_plan_due
    assert GANG.key in state.changes.gangs


@pytest.mark.parametrize(
    "node",
    [
        pytest.param(node_fact("n4", labels={"pool": "gangs"}), id="no other than before"),
        pytest.param(node_fact("n9", labels={"pool": "others"}), id="outside the pool"),
        pytest.param(node_fact("n4", labels={"pool": "gangs"}, cordoned=True), id="cordoned"),
        pytest.param(node_fact("n4", labels={"pool": "gangs"}, ready=False), id="not ready"),
        pytest.param(
            node_fact("n4", labels={"pool": "gangs"}, taints=[Taint("own", "", "NoSchedule")]), id="with a taint"
        ),
    ],
)
def test_node_that_does_not_suit_the_gang_lifts_nothing(node):
    pooled = [node_fact(f"n{number}", labels={"pool": "gangs"}) for number in range(1, 6)]
    state = refused(*pooled, pool=Pool(selector=(("pool", "gangs"),)))

    state.nodes.apply(node)

    assert is_refused(state)


def test_node_that_its_selector_does_not_want_lifts_nothing():
    suiting = [node_fact(f"n{number}", labels={"speed": "fast"}) for number in range(1, 6)]
    state = refused(*suiting, gang=FAST)

    state.nodes.apply(node_fact("n9", labels={"speed": "slow"}))
    assert is_refused(state, FAST)

    state.nodes.apply(node_fact("n9", labels={"speed": "fast"}))
    assert not is_refused(state, FAST)


def test_node_that_is_gone_lifts_nothing():
    state = refused()
    state.nodes.remove("n1")

    assert is_refused(state)


def test_node_that_rejects_it_again_after_the_refusal_was_lifted_is_barred_and_not_counted():
    state = refused()
    state.nodes.apply(node_fact("n9"))

    reject(state, "n1", "n2", "n3", attempt=4)

    assert not is_refused(state)
    assert state.rejections.barred(GANG) == {"n1", "n2", "n3"}


def test_barred_node_is_tried_again_when_it_has_changed():
    state = refused()
    state.nodes.apply(node_fact("n9"))
    reject(state, "n1", "n2", attempt=4)

    state.nodes.apply(node_fact("n1", labels={"sysctls": "unsafe"}))

    assert state.rejections.barred(GANG) == {"n2"}


def test_three_other_nodes_refuse_it_again():
    state = refused(*[node_fact(f"n{number}") for number in range(1, 7)])
    state.nodes.apply(node_fact("n9"))

    reject(state, "n4", "n5", attempt=4)
    assert not is_refused(state)
    reject(state, "n6", attempt=5)

    assert is_refused(state)


def test_members_that_all_run_are_rejected_by_no_node():
    state = cluster()
    reject(state, "n1", "n2")
    state.rejections.forget(GANG.uid)

    reject(state, "n3", attempt=2)

    assert not is_refused(state)


def neighbour(node, **more):
    return {"uid": "uid-of-p", "node": node, "phase": PodPhase.RUNNING, **more}


def test_pod_that_has_gone_from_a_node_that_rejected_it_lifts_the_refusal_after_a_while():
    state = cluster()
    pod = member_fact("other", **neighbour("n2"))
    state.apply_pod(pod)
    reject(state, "n1", "n2", "n3", now=100.0)

    state.remove_pod(pod.key, pod.uid)
    state.advance_to(100.0 + AVOID_SECONDS - 1)
    assert is_refused(state)
    assert state.rejections.next_end() == 100.0 + AVOID_SECONDS

    state.advance_to(100.0 + AVOID_SECONDS)

    assert not is_refused(state)
    assert state.rejections.next_end() == float("inf")


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(member_fact("g", **neighbour("n1")), id="its own"),
        pytest.param(member_fact("other", **neighbour("n5")), id="from another node"),
    ],
)
def test_pod_whose_end_changes_nothing_for_it_lifts_nothing(pod):
    state = cluster()
    state.apply_pod(pod)
    reject(state, "n1", "n2", "n3")

    state.remove_pod(pod.key, pod.uid)
    state.advance_to(10 * AVOID_SECONDS)

    assert is_refused(state)


def with_status(state):
    """The gang with the status that says that it is refused."""
    rejected = state.rejections.rejected(GANG)
    return replace(GANG, status=mark_refused(GANG, state.refusal_of(GANG), now=0.0, rejected=rejected))


def next_process(gang, *nodes):
    state = cluster(*nodes, gang=gang)
    resume_rejection(state, gang, 50.0)
    return state


def test_next_process_goes_on_from_the_status():
    gang = with_status(refused())

    state = next_process(gang)

    assert is_refused(state, gang)
    assert state.refusal_of(gang).message == gang.status.condition("Accepted").message
    assert gang.status.rejected.nodes == ("n1", "n2", "n3")
    state.nodes.apply(node_fact("n9"))
    assert not is_refused(state, gang)


@pytest.mark.parametrize(
    "nodes",
    [
        pytest.param([node_fact(f"n{number}") for number in range(1, 7)], id="one is new"),
        pytest.param(
            [*(node_fact(f"n{number}") for number in range(1, 5)), node_fact("n5", cpu=1)], id="one has changed"
        ),
    ],
)
def test_next_process_plans_it_again_where_nodes_have_changed_meanwhile(nodes):
    gang = with_status(refused())

    state = next_process(gang, *nodes)

    assert not is_refused(state, gang)
    reject(state, "n1", gang=gang)
    assert state.rejections.barred(gang) == {"n1"}


def test_status_of_another_spec_refuses_nothing():
    gang = replace(with_status(refused()), generation=2)

    assert not is_refused(next_process(gang), gang)


def test_status_without_nodes_refuses_nothing():
    gang = with_status(refused())
    gang = replace(gang, status=replace(gang.status, rejected=None))

    assert not is_refused(next_process(gang), gang)


def test_status_keeps_so_many_nodes_and_no_more():
    state = cluster(*[node_fact(f"n{number}") for number in range(100)])
    reject(state, *(f"n{number}" for number in range(100)))

    assert len(state.rejections.rejected(GANG).nodes) == MOST_NODES
    assert state.refusal_of(GANG).message.startswith("The kubelets of 100 nodes (n0, n1, n10, …) reject its members")


def test_long_words_are_cut():
    state = cluster()
    reject(state, "n1", "n2", "n3", words="x" * 10_000)

    assert len(state.refusal_of(GANG).message) < 1200


def test_what_is_known_of_a_gang_goes_with_it():
    state = refused()
    state.remove_gang(GANG.key, GANG.uid)
    again = gang_fact("g", uid="another")
    state.apply_gang(again)

    assert not is_refused(state, again)
