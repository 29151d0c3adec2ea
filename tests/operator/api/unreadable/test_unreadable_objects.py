"""Objects that can't be understood cost themselves only, count as the safe thing, and are said once a version."""

import pytest

from builders.facts import gang_fact, gang_spec
from builders.served import bid, gang, metadata, node, owned_by, pod, priority_class
from coschedule import GangKey
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import PodKey, PodPhase
from lockstep.facts.reasons import Reason
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.watch.kinds import bids_kind, gangs_kind, pod_gangs_kind
from lockstep.watch.kubernetes_kinds import claims_kind, nodes_kind, pods_kind, priority_classes_kind, volumes_kind

NOW = 1_800_000_000.0


@pytest.fixture
def counted():
    return []


@pytest.fixture
def state(counted):
    return State(lambda: None, count_parse_failure=counted.append)


def room(state):
    """How many members that take one CPU each would fit on each node, by name."""
    snapshot = SnapshotCutter(state).cut(NOW, [gang_fact()])
    amounts = dict(zip(snapshot.resources, snapshot.gangs[0].roles[0].request, strict=True))
    fit = [max(0, min(row // [amounts[name] for name in snapshot.resources])) for row in snapshot.free]
    return dict(zip(snapshot.nodes.names, [int(one) for one in fit], strict=True))


def odd_pod(name="odd", **more):
    return pod(
        name, node="n1", phase="Running", spec={"containers": [{"resources": {"requests": {"cpu": "x"}}}]}, **more
    )


def test_pod_fills_its_node_until_it_is_gone(state, counted):
    for name in ("n1", "n2"):
        nodes_kind(state).accept(node(name))
    pods_kind(state).accept(odd_pod())
    assert room(state) == {"n1": 0, "n2": 8}

    pods_kind(state).drop((PodKey("default", "odd"), "uid-of-odd"))
    assert room(state) == {"n1": 8, "n2": 8}
    assert counted == ["pods"]


def test_pod_that_has_ended_fills_nothing(state):
    nodes_kind(state).accept(node("n1"))
    pods_kind(state).accept({**odd_pod(), "status": {"phase": "Succeeded"}})

    assert room(state) == {"n1": 8}


def test_pod_that_is_understood_again_counts_as_it_is(state):
    nodes_kind(state).accept(node("n1"))
    pods_kind(state).accept(odd_pod("p"))
    pods_kind(state).accept(pod("p", node="n1", cpu="3", phase="Running", version="2"))

    assert room(state) == {"n1": 5}


def test_pod_of_an_unknown_phase_has_not_ended(state, counted):
    nodes_kind(state).accept(node("n1"))
    pods_kind(state).accept(pod("p", node="n1", cpu="3", phase="Dreaming"))

    assert state.pods["default", "p"].phase is PodPhase.UNKNOWN
    assert (room(state), counted) == ({"n1": 5}, ["pods"])


def test_pod_of_a_gang_in_an_unknown_phase_keeps_its_gang_and_its_slot(state):
    state.sources = frozenset({Source.PODS})
    nodes_kind(state).accept(node("n1"))
    bids_kind(state).accept(bid("n1", slots=3))
    labels, spec = {"lockstep.dev/member-of": "heat"}, {"schedulerName": "lockstep"}
    pods_kind(state).accept(pod("p", node="n1", cpu="1", phase="Dreaming", labels=labels, spec=spec))

    assert state.pods["default", "p"].group.gang == pod_gang_key("default", "heat")
    assert room(state) == {"n1": 2}


def test_member_that_cannot_be_understood_still_is_a_member(state):
    pods_kind(state).accept(odd_pod("g-1-0", **owned_by("g")))

    assert list(state.members(gang_fact("g"))) == [("default", "g-1-0")]


def test_node_is_there_but_takes_no_member(state, counted):
    odd = node("n1", memory="much")
    nodes_kind(state).accept(odd)
    nodes_kind(state).accept(node("n2"))

    assert (state.nodes["n1"].is_ready, room(state)) == (False, {"n1": 0, "n2": 8})
    assert counted == ["nodes"]


def test_bid_offers_nothing(state, counted):
    nodes_kind(state).accept(node("n1"))
    bids_kind(state).accept(bid("n1", capacity="0"))

    assert room(state) == {"n1": 0}
    assert (state.changes.bids, counted) == ({"n1"}, ["nodebids"])


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"capacity": "-1"}, id="below nothing"),
        pytest.param({"dutyCycle": "-2"}, id="a negative duty cycle"),
        pytest.param({"capacity": "1e400"}, id="infinite"),
        pytest.param({"dutyCycle": "1e400"}, id="infinitely slow"),
        pytest.param({"capacity": "1e-400"}, id="hardly anything"),
        pytest.param({"dutyCycle": "half"}, id="no quantity"),
        pytest.param({"availableFrom": "soon"}, id="no time"),
    ],
)
def test_bid_without_sense_is_not_understood(state, counted, spec):
    bids_kind(state).accept(bid("n1", **spec))

    assert (state.bids["n1"].slots, counted) == (0, ["nodebids"])


def test_bid_that_is_understood_is_not_answered(state):
    nodes_kind(state).accept(node("n1"))
    bids_kind(state).accept(bid("n1", capacity="2"))

    assert state.changes.bids == set()


def test_gang_is_refused_with_a_sentence(state, counted):
    odd = gang("g", spec={"size": {}})
    gangs_kind(state).accept(odd)
    fact = state.gangs[GangKey("default", "g")]

    assert (fact.spec, fact.refusal.reason, counted) == (None, Reason.INVALID_SPEC, ["gangjobs"])
    assert fact.refusal.message == "The GangJob can't be understood: KeyError 'min'."


@pytest.mark.parametrize(
    ("kind", "good", "odd", "known"),
    [
        pytest.param(
            priority_classes_kind,
            priority_class("p", 5),
            {"metadata": {"name": "p", "resourceVersion": "2"}},
            lambda state: state.priorities.of(gang_fact("g", spec=gang_spec(priority_class="p"))),
            id="priority class",
        ),
        pytest.param(
            claims_kind,
            {"metadata": {"namespace": "default", "name": "c", "resourceVersion": "1"}},
            {"metadata": {"namespace": "default", "name": "c", "resourceVersion": "2"}, "spec": {"accessModes": 1}},
            lambda state: state.claims.claims.get(ClaimKey("default", "c")),
            id="claim",
        ),
        pytest.param(
            volumes_kind,
            {"metadata": {"name": "v", "resourceVersion": "1"}, "spec": {}},
            {"metadata": {"name": "v", "resourceVersion": "2"}, "spec": 7},
            lambda state: state.claims.volumes.get("v"),
            id="volume",
        ),
    ],
)
def test_others_count_as_not_being_there(state, counted, kind, good, odd, known):
    kind(state).accept(good)
    assert known(state)
    kind(state).accept(odd)

    assert not known(state)
    assert counted == [kind(state).target.resource]


def test_parse_failure_is_logged_once_a_version(state, counted, caplog):
    for version in ("1", "1", "2", "2"):
        pods_kind(state).accept(odd_pod(version=version))

    assert counted == ["pods", "pods"]
    want = "pods default/odd can't be read, so Lockstep treats it as a pod that fills its node, or has not ended: "
    want += "x is not a quantity"
    assert [record.getMessage() for record in caplog.records] == [want, want]
    assert "Traceback" not in caplog.text


def test_parse_failures_are_forgotten_with_their_objects(state, counted):
    for _ in range(2):
        pods_kind(state).accept(odd_pod())
        pods_kind(state).drop((PodKey("default", "odd"), "uid-of-odd"))

    assert counted == ["pods", "pods"]


def test_fact_that_cannot_be_applied_costs_no_other(state, counted, monkeypatch):
    kind = pods_kind(state)
    monkeypatch.setattr(state.ledger, "confirm", lambda _: 1 / 0)
    kind.accept(pod("p", node="n1"))
    monkeypatch.undo()
    kind.accept(pod("q", node="n1"))

    assert set(state.pods) >= {("default", "q")}
    assert counted[0] == "pods"


def test_object_that_cannot_be_dropped_costs_no_other(state, counted, monkeypatch):
    kind = pods_kind(state)
    kind.accept(pod("p", node="n1"))
    monkeypatch.setattr(state.ledger, "release", lambda _: 1 / 0)
    kind.drop((PodKey("default", "p"), "uid-of-p"))

    assert counted == ["pods"]


@pytest.mark.parametrize(
    ("error", "want_phrase"),
    [
        pytest.param(ValueError("size is negative"), "size is negative", id="our own sentence"),
        pytest.param(ApiUnavailableError("GET jobs: timeout"), "GET jobs: timeout", id="our own error"),
        pytest.param(KeyError("min"), "KeyError 'min'", id="error of Python"),
        pytest.param(TimeoutError(), "TimeoutError", id="error without a message"),
    ],
)
def test_phrase_about_an_error_has_its_message(error, want_phrase):
    assert describe(error) == want_phrase


def test_status_and_policies_of_a_gang_that_cannot_be_understood_count(state):
    status = {"attempt": 3, "reservedAt": "2027-01-15T08:00:00Z", "size": 2}
    odd = gang("g", spec={"size": {}, "suspend": True, "ttlSecondsAfterFinished": 9}, status=status)
    odd["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    gangs_kind(state).accept(odd)
    fact = state.gangs[GangKey("default", "g")]

    assert (fact.status.attempt, fact.status.size, fact.status.reserved_at) == (3, 2, NOW)
    assert (fact.policies.is_suspended, fact.policies.ttl_seconds, fact.policies.queue) == (True, 9, "team")


def test_gang_of_which_nothing_can_be_understood_is_refused(state):
    odd = gang("g", status={"attempt": "x"})
    gangs_kind(state).accept({**odd, "spec": {"failurePolicy": {"rules": 7}}})
    fact = state.gangs[GangKey("default", "g")]

    assert (fact.refusal.reason, fact.status, fact.policies) == (Reason.INVALID_SPEC, GangStatus(), Policies())


def test_status_of_a_gang_of_pods_that_cannot_be_understood_counts(state):
    odd = {"metadata": metadata("heat", namespace="default"), "spec": {}, "status": {"attempt": 3}}
    pod_gangs_kind(state).accept(odd)

    assert state.pod_gangs.objects[pod_gang_key("default", "heat")].status.attempt == 3
