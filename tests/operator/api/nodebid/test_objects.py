"""Nodes, pods and bids from their manifests; whatever the API server accepts is parsed."""

import pytest

from builders.served import bid, node, owned_by, pod
from coschedule import GangKey, Taint
from lockstep.api.cluster.node import parse_node
from lockstep.api.nodebid.bid import parse_bid
from lockstep.api.pods.pod import parse_pod
from lockstep.facts.cluster.node import OnReturn
from lockstep.facts.columns import WHOLE
from lockstep.facts.pods.pod import Membership, PodKey, PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome

NOON = 1_795_176_000.0  # 2026-11-20T12:00:00Z


def test_node():
    taints = [{"key": "pool", "value": "gangs", "effect": "NoSchedule"}, {"key": "down", "effect": "NoExecute"}]
    fact = parse_node(node("n1", cpu="1500m", labels={"speed": "fast"}, taints=taints, cordoned=True))

    assert (fact.name, fact.labels, fact.is_ready, fact.is_unschedulable) == ("n1", {"speed": "fast"}, True, True)
    assert fact.taints == (Taint("pool", "gangs", "NoSchedule"), Taint("down", "", "NoExecute"))
    assert fact.allocatable == (("cpu", 1500), ("memory", 32 * 2**30), ("pods", 110))


@pytest.mark.parametrize(("ready", "want"), [("True", True), ("False", False), ("Unknown", False)])
def test_node_is_ready_if_it_says_so(ready, want):
    assert parse_node(node("n1", ready=ready)).is_ready is want


def test_node_that_says_nothing_is_not_ready_and_holds_nothing():
    fact = parse_node({"metadata": {"name": "n1"}})

    assert (fact.is_ready, fact.is_unschedulable, fact.allocatable, fact.taints) == (False, False, (), ())


@pytest.mark.parametrize(
    "changed",
    [pytest.param({"kubeletVersion": "v1.37.0"}, id="upgraded"), pytest.param({"bootID": "2"}, id="rebooted")],
)
def test_node_with_another_kubelet_or_another_start_is_another_system(changed):
    info = {"kubeletVersion": "v1.36.3", "bootID": "1", "machineID": "m"}
    before = parse_node({**node("n1"), "status": {"nodeInfo": info}})
    after = parse_node({**node("n1"), "status": {"nodeInfo": {**info, **changed}}})

    assert before.system != after.system
    assert before.system == parse_node({**node("n1"), "status": {"nodeInfo": dict(info)}}).system != ""


def test_node_has_more_than_enough_of_the_features_it_declares():
    declaring = {**node("n1"), "status": {"declaredFeatures": ["Restarts"]}}

    assert parse_node(declaring).allocatable == (("declared feature Restarts", WHOLE),)


def test_heartbeat_of_a_node_is_no_change():
    before, after = node("n1"), node("n1", version="2")
    after["status"]["conditions"][1]["lastHeartbeatTime"] = "2026-11-20T12:00:00Z"

    assert parse_node(before) == parse_node(after)


def test_pod_without_a_gang():
    fact = parse_pod(pod("p", node="n1", cpu="2", phase="Running"))

    assert (fact.key, fact.uid, fact.node) == (PodKey("default", "p"), "uid-of-p", "n1")
    assert (fact.phase, fact.request, fact.member) == (PodPhase.RUNNING, (("cpu", 2000), ("pods", 1)), None)
    assert not fact.is_deleting
    assert fact.outcome is PodOutcome.GOING


def test_member_of_a_gang():
    fact = parse_pod(pod("g-3-7", **owned_by("g", attempt=3, rank=7)))

    assert fact.member == Membership(GangKey("default", "g"), "uid-of-g", 3, 7)
    assert dict(fact.request)["bid slots"] == 1


def without(part, **changes):
    more = owned_by("g")
    target = more["labels"] if part == "labels" else more["ownerReferences"][0]
    target.update(changes)
    return more


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"labels": owned_by("g")["labels"]}, id="labels without an owner"),
        pytest.param(without("owner", controller=False), id="an owner that is not the controller"),
        pytest.param(without("owner", kind="Job"), id="an owner of another kind"),
        pytest.param(without("owner", apiVersion="batch/v1"), id="an owner of another group"),
        pytest.param({"ownerReferences": owned_by("g")["ownerReferences"]}, id="no labels"),
        pytest.param(without("labels", **{"lockstep.dev/rank": "x"}), id="a rank that is no number"),
        pytest.param(without("labels", **{"lockstep.dev/attempt": "-1"}), id="a negative attempt"),
    ],
)
def test_pod_that_is_no_member(more):
    assert parse_pod(pod("g-1-0", **more)).member is None


@pytest.mark.parametrize("name", ["p", "g-1-00", "g-2-0", "g-1-1", "h-1-0"])
def test_pod_of_another_name_is_no_member(name):
    """Anybody may write our labels and name an owner; a name is there only once."""
    assert parse_pod(pod(name, **owned_by("g"))).member is None


def kept_by(kind, version="apps/v1", *, controller=True):
    owner = {"apiVersion": version, "kind": kind, "name": "o", "uid": "uid-of-o", "controller": controller}
    return {"ownerReferences": [owner]}


@pytest.mark.parametrize(
    ("more", "want"),
    [
        pytest.param(kept_by("DaemonSet"), True, id="DaemonSet"),
        pytest.param(kept_by("ReplicaSet"), True, id="ReplicaSet"),
        pytest.param(kept_by("Deployment"), True, id="Deployment"),
        pytest.param(kept_by("StatefulSet"), True, id="StatefulSet"),
        pytest.param(kept_by("ReplicationController", "v1"), True, id="ReplicationController"),
        pytest.param(kept_by("Node", "v1"), True, id="a static pod"),
        pytest.param({"annotations": {"kubernetes.io/config.mirror": "x"}}, True, id="a static pod by its annotation"),
        pytest.param(kept_by("Job", "batch/v1"), False, id="Job"),
        pytest.param(kept_by("DaemonSet", "example.com/v1"), False, id="a kind of the same name"),
        pytest.param(kept_by("DaemonSet", controller=False), False, id="an owner that is not the controller"),
        pytest.param(owned_by("g"), False, id="a member"),
        pytest.param({}, False, id="a bare pod"),
    ],
)
def test_pod_that_is_not_meant_to_end(more, want):
    assert parse_pod(pod("p", **more)).lasting is want


def test_deleted_pod_is_being_deleted():
    assert parse_pod(pod("p", deletionTimestamp="2026-11-20T12:00:00Z")).is_deleting


@pytest.mark.parametrize(
    ("phase", "want"),
    [("Pending", False), ("Running", False), ("Unknown", False), ("Succeeded", True), ("Failed", True)],
)
def test_ended_pod_takes_nothing(phase, want):
    assert parse_pod(pod("p", phase=phase)).has_ended is want


def test_pod_without_a_status_is_pending():
    manifest = pod("p")
    del manifest["status"]

    assert parse_pod(manifest).phase is PodPhase.PENDING


FAILED_CONTAINER = {"name": "main", "state": {"terminated": {"exitCode": 3}}}
DONE_CONTAINER = {"name": "log", "state": {"terminated": {"exitCode": 0}}}


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param(
            {"reason": "Evicted", "message": "The node was low on memory."},
            "Evicted: The node was low on memory.",
            id="reason and message",
        ),
        pytest.param({"reason": "OutOfcpu"}, "OutOfcpu", id="a reason alone"),
        pytest.param(
            {"containerStatuses": [DONE_CONTAINER, FAILED_CONTAINER]}, "container main exited with 3", id="exit code"
        ),
        pytest.param({}, "its phase is Failed", id="nothing"),
    ],
)
def test_failed_pod_says_why(status, want):
    assert parse_pod(pod("p", phase="Failed", status=status)).ended_because == want


def test_failed_init_container_is_named():
    status = {"initContainerStatuses": [{"name": "fetch", "state": {"terminated": {"exitCode": 1}}}]}

    assert parse_pod(pod("p", phase="Failed", status=status)).ended_because == "container fetch exited with 1"


def test_pod_that_runs_has_no_reason_to_have_ended():
    assert parse_pod(pod("p", phase="Running", status={"containerStatuses": [FAILED_CONTAINER]})).ended_because == ""


def test_bid_without_a_word_offers_an_idle_reference_node():
    fact = parse_bid(bid("n1", version="7"))

    assert (fact.node, fact.resource_version, fact.slowdown) == ("n1", "7", 1.0)
    assert (fact.available_from, fact.available_until, fact.slots, fact.expires_at) == (None, None, None, None)


def test_bid():
    fact = parse_bid(
        bid(
            "n1",
            availableFrom="2026-11-20T12:00:00Z",
            availableUntil="2026-11-20T13:00:00Z",
            slots=2,
            expiresAt="2026-11-20T12:05:00Z",
        )
    )

    assert (fact.available_from, fact.available_until, fact.slots, fact.expires_at) == (
        NOON,
        NOON + 3600,
        2,
        NOON + 300,
    )


def test_bid_of_an_owner_who_may_come_back():
    fact = parse_bid(
        bid(
            "n1",
            ownerPresent=False,
            onReturn="Evict",
            gracePeriodSeconds=5,
            forecast=[
                {"from": "2026-11-20T13:00:00Z", "ownerReturns": "250m"},
                {"from": "2026-11-20T12:00:00Z", "dutyCycle": 1},
                {"from": "2026-11-20T14:00:00+01:00", "ownerReturns": "0.5"},
            ],
        )
    )

    assert (fact.owner_present, fact.on_return, fact.grace_seconds) == (False, OnReturn.EVICT, 5.0)
    assert fact.forecast == ((NOON, 0.0), (NOON + 3600, 0.5))


def test_bid_that_says_nothing_of_its_owner_evicts_no_gang():
    fact = parse_bid(bid("n1"))

    assert (fact.owner_present, fact.on_return, fact.grace_seconds, fact.forecast) == (None, OnReturn.KEEP, 60.0, ())


def test_probability_above_one_is_refused():
    with pytest.raises(ValueError, match="ownerReturns must be a probability"):
        parse_bid(bid("n1", forecast=[{"from": "2026-11-20T12:00:00Z", "ownerReturns": "2"}]))


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ({"dutyCycle": "250m"}, 1.25),
        ({"capacity": "1.6"}, 1 / 1.6),
        ({"dutyCycle": "250m", "capacity": "2"}, 0.625),
        ({"dutyCycle": 1, "capacity": 4}, 0.5),
        ({"dutyCycle": 0}, 1.0),
    ],
)
def test_slowdown_of_a_bid(spec, want):
    assert parse_bid(bid("n1", **spec)).slowdown == pytest.approx(want)
