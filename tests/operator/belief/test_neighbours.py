"""Whom running pods keep away, and which claims they use."""

import random

import pytest

from builders.facts import node_fact, pod_fact
from builders.served import pod as pod_manifest
from lockstep.api.pod import parse_pod
from lockstep.belief.domains import Domains
from lockstep.belief.neighbours import Neighbours
from lockstep.belief.nodes import Nodes
from lockstep.facts.pod import PodPhase
from lockstep.facts.volume import ClaimKey

ZONES = {"n1": "east", "n2": "east", "n3": "west", "n4": None}
HEAT = {"app": "heat"}
MATCHING = {"labelSelector": {"matchLabels": HEAT}}


def nodes():
    return {
        name: node_fact(name, labels={"host": name, **({} if zone is None else {"zone": zone})})
        for name, zone in ZONES.items()
    }


def ignore(*_):
    """Nobody asks what changes."""


def keeping_away(node, *, name="other", **term):
    """A pod on that node, in the namespace default, with one term of anti-affinity."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"podAntiAffinity": {required: [{"topologyKey": "zone", **MATCHING, **term}]}}
    return parse_pod(pod_manifest(name, node=node, spec={"affinity": affinity}))


def kept_away(*pods, labels=HEAT, namespace="default", labels_of_namespace=None):
    neighbours = Neighbours(list)
    for pod in pods:
        neighbours.enter(pod)
    return neighbours.keeping_away.names(labels, namespace, labels_of_namespace or {}, Domains(nodes()))


@pytest.mark.parametrize(
    ("term", "want"),
    [
        pytest.param({}, {"n1", "n2"}, id="a zone"),
        pytest.param({"topologyKey": "host"}, {"n1"}, id="a node"),
        pytest.param({"topologyKey": "rack"}, set(), id="a label that its node has not got"),
        pytest.param({"labelSelector": {"matchLabels": {"app": "other"}}}, set(), id="others' labels"),
        pytest.param({"labelSelector": {}}, {"n1", "n2"}, id="everybody"),
        pytest.param({"labelSelector": None}, set(), id="nobody"),
        pytest.param(
            {"labelSelector": {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]}},
            {"n1", "n2"},
            id="an expression",
        ),
        pytest.param({"namespaces": ["default"]}, {"n1", "n2"}, id="its namespace by name"),
        pytest.param({"namespaces": ["elsewhere"]}, set(), id="another namespace"),
        pytest.param({"namespaceSelector": {}}, {"n1", "n2"}, id="every namespace"),
        pytest.param(
            {"namespaceSelector": {"matchLabels": {"team": "a"}}}, {"n1", "n2"}, id="a label of its namespace"
        ),
        pytest.param({"namespaceSelector": {"matchLabels": {"team": "b"}}}, set(), id="a label of other namespaces"),
        pytest.param(
            {"namespaceSelector": {"matchLabels": {"team": "b"}}, "namespaces": ["default"]},
            {"n1", "n2"},
            id="by name or by label",
        ),
    ],
)
def test_anti_affinity_of_a_pod_keeps_others_off_its_domain(term, want):
    assert kept_away(keeping_away("n1", **term), labels_of_namespace={"team": "a"}) == want


def test_domains_of_several_pods_add_up():
    assert kept_away(keeping_away("n1"), keeping_away("n3", name="more", topologyKey="host")) == {"n1", "n2", "n3"}


def test_pod_on_a_node_without_the_label_keeps_nobody_away():
    assert kept_away(keeping_away("n4")) == set()


def test_pod_on_a_node_that_is_not_known_keeps_nobody_away():
    assert kept_away(keeping_away("gone")) == set()


def test_pod_of_another_namespace_keeps_only_its_own_away():
    assert kept_away(keeping_away("n1"), namespace="elsewhere") == set()


def test_pod_that_left_keeps_nobody_away():
    neighbours = Neighbours(list)
    first, second = keeping_away("n1"), keeping_away("n1", name="more")
    neighbours.enter(first)
    neighbours.enter(second)

    neighbours.leave(first)
    assert neighbours.keeping_away.names(HEAT, "default", {}, Domains(nodes())) == {"n1", "n2"}
    neighbours.leave(second)
    assert neighbours.keeping_away.names(HEAT, "default", {}, Domains(nodes())) == set()
    assert not neighbours.keeping_away.concerns("default")


def test_answers_are_those_of_a_class_that_remembers_nothing():
    rnd = random.Random(7)  # noqa: S311 - cases of a test are no secrets
    neighbours, there, known = Neighbours(list), [], Nodes(ignore, applied=ignore, removed=ignore)
    for node in nodes().values():
        known.apply(node)
    pods = [
        keeping_away(
            rnd.choice(list(ZONES)),
            name=f"p{number}",
            topologyKey=rnd.choice(("zone", "host")),
            labelSelector={"matchLabels": {rnd.choice(("app", "tier")): rnd.choice(("heat", "cold"))}},
            **rnd.choice(({}, {"namespaces": ["default", "else"]}, {"namespaceSelector": {"matchLabels": {"a": "b"}}})),
        )
        for number in range(12)
    ]
    for _ in range(400):
        pod = rnd.choice(pods)
        if pod in there:
            there.remove(pod)
            neighbours.leave(pod)
        else:
            there.append(pod)
            neighbours.enter(pod)
        if rnd.random() < 0.3:
            (known.remove if "n2" in known else lambda name: known.apply(nodes()[name]))("n2")
        labels = {"app": rnd.choice(("heat", "cold")), "tier": rnd.choice(("heat", "cold"))}
        namespace, of_namespace = rnd.choice(("default", "else")), rnd.choice(({}, {"a": "b"}))

        names = neighbours.keeping_away.names(labels, namespace, of_namespace, known.domains)

        fresh = Neighbours(list)
        for other in there:
            fresh.enter(other)
        assert names == fresh.keeping_away.names(labels, namespace, of_namespace, known.domains)


@pytest.mark.parametrize(
    "change",
    [pytest.param({"phase": "Succeeded"}, id="has ended"), pytest.param({"node": ""}, id="is on no node")],
)
def test_pod_that_takes_no_room_means_nothing(change):
    spec = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    pod = parse_pod(pod_manifest("p", **{"node": "n1", "spec": spec, **change}))
    neighbours = Neighbours(list)

    neighbours.enter(pod)

    assert list(neighbours.users(ClaimKey("default", "data"))) == []
    neighbours.leave(pod)


def test_users_of_a_claim_come_and_go():
    one, other = (pod_fact(name, node="n1", claims=("data",)) for name in ("one", "other"))
    ended = pod_fact("one", node="n1", claims=("data",), phase=PodPhase.SUCCEEDED)
    key = ClaimKey(one.key.namespace, "data")
    neighbours = Neighbours(list)

    for pod in (one, other, ended):
        neighbours.enter(pod)
    assert list(neighbours.users(key)) == [one, other]

    neighbours.leave(one)
    neighbours.leave(ended)
    assert list(neighbours.users(key)) == [other]


def test_equal_terms_are_shared():
    assert keeping_away("n1").keeps_away is keeping_away("n2", name="more").keeps_away
