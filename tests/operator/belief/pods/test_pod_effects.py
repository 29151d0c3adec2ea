"""Which pods running pods keep away, and which claims they use."""

import random

import pytest

from builders.facts import node_fact, pod_fact
from builders.served import pod as pod_manifest
from lockstep.api.pods.pod import parse_pod
from lockstep.api.pods.pod_terms import MOST_TERMS_OF_POD
from lockstep.belief.nodes.domains import Domains
from lockstep.belief.nodes.nodes import KnownNodes
from lockstep.belief.pods.pod_effects import PodsNearby
from lockstep.belief.pods.pod_terms import means
from lockstep.belief.pods.understood_terms import MOST_ABOUT_OTHERS, MOST_OF_NAMESPACE
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.pods.pod import PodPhase

ZONES = {"n1": "east", "n2": "east", "n3": "west", "n4": None}
HEAT = {"app": "heat"}
MATCHING = {"labelSelector": {"matchLabels": HEAT}}


def nodes():
    return {
        name: node_fact(name, labels={"host": name, **({} if zone is None else {"zone": zone})})
        for name, zone in ZONES.items()
    }


def ignore(*_):
    """No query asks what changes."""


def keeping_away(node, *, name="other", **term):
    """A pod on that node, in the namespace default, with one term of anti-affinity."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    affinity = {"podAntiAffinity": {required: [{"topologyKey": "zone", **MATCHING, **term}]}}
    return parse_pod(pod_manifest(name, node=node, spec={"affinity": affinity}))


def kept_away(*pods, labels=HEAT, namespace="default", labels_of_namespace=None):
    pods_nearby = PodsNearby(list, users_changed=ignore)
    for pod in pods:
        pods_nearby.enter(pod)
    return pods_nearby.anti_affinity.names(labels, namespace, labels_of_namespace or {}, Domains(nodes()))


@pytest.mark.parametrize(
    ("term", "want"),
    [
        pytest.param({}, {"n1", "n2"}, id="a zone"),
        pytest.param({"topologyKey": "host"}, {"n1"}, id="a node"),
        pytest.param({"topologyKey": "rack"}, set(), id="a label that its node has not got"),
        pytest.param({"labelSelector": {"matchLabels": {"app": "other"}}}, set(), id="others' labels"),
        pytest.param({"labelSelector": {}}, {"n1", "n2"}, id="everybody"),
        pytest.param({"labelSelector": None}, set(), id="none"),
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


def test_pod_on_a_node_without_the_label_keeps_no_pod_away():
    assert kept_away(keeping_away("n4")) == set()


def test_pod_on_a_node_that_is_not_known_keeps_no_pod_away():
    assert kept_away(keeping_away("gone")) == set()


def test_pod_of_another_namespace_keeps_only_its_own_away():
    assert kept_away(keeping_away("n1"), namespace="elsewhere") == set()


def test_pod_that_left_keeps_no_pod_away():
    pods_nearby = PodsNearby(list, users_changed=ignore)
    first, second = keeping_away("n1"), keeping_away("n1", name="more")
    pods_nearby.enter(first)
    pods_nearby.enter(second)

    pods_nearby.leave(first)
    assert pods_nearby.anti_affinity.names(HEAT, "default", {}, Domains(nodes())) == {"n1", "n2"}
    pods_nearby.leave(second)
    assert pods_nearby.anti_affinity.names(HEAT, "default", {}, Domains(nodes())) == set()
    assert not pods_nearby.anti_affinity.concerns("default")


def test_answers_are_those_of_a_class_that_remembers_nothing():
    rnd = random.Random(7)  # noqa: S311 - cases of a test are no secrets
    pods_nearby, there, known = (
        PodsNearby(list, users_changed=ignore),
        [],
        KnownNodes(ignore, applied=ignore, removed=ignore),
    )
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
            pods_nearby.leave(pod)
        else:
            there.append(pod)
            pods_nearby.enter(pod)
        if rnd.random() < 0.3:
            (known.remove if "n2" in known else lambda name: known.apply(nodes()[name]))("n2")
        labels = {"app": rnd.choice(("heat", "cold")), "tier": rnd.choice(("heat", "cold"))}
        namespace, of_namespace = rnd.choice(("default", "else")), rnd.choice(({}, {"a": "b"}))

        names = pods_nearby.anti_affinity.names(labels, namespace, of_namespace, known.domains)

        fresh = PodsNearby(list, users_changed=ignore)
        for other in there:
            fresh.enter(other)
        assert names == fresh.anti_affinity.names(labels, namespace, of_namespace, known.domains)


@pytest.mark.parametrize(
    "change",
    [pytest.param({"phase": "Succeeded"}, id="has ended"), pytest.param({"node": ""}, id="is on no node")],
)
def test_pod_that_takes_no_room_means_nothing(change):
    spec = {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}
    pod = parse_pod(pod_manifest("p", **{"node": "n1", "spec": spec, **change}))
    pods_nearby = PodsNearby(list, users_changed=ignore)

    pods_nearby.enter(pod)

    assert list(pods_nearby.users(ClaimKey("default", "data"))) == []
    pods_nearby.leave(pod)


def test_users_of_a_claim_come_and_go():
    one, other = (pod_fact(name, node="n1", claims=("data",)) for name in ("one", "other"))
    ended = pod_fact("one", node="n1", claims=("data",), phase=PodPhase.SUCCEEDED)
    key = ClaimKey(one.key.namespace, "data")
    pods_nearby = PodsNearby(list, users_changed=ignore)

    for pod in (one, other, ended):
        pods_nearby.enter(pod)
    assert list(pods_nearby.users(key)) == [one, other]

    pods_nearby.leave(one)
    pods_nearby.leave(ended)
    assert list(pods_nearby.users(key)) == [other]


def test_equal_terms_are_shared():
    assert keeping_away("n1").anti_affinity_terms is keeping_away("n2", name="more").anti_affinity_terms


def some_term(rnd):
    """A term that selects pods by up to two requirements, and namespaces by name or by label."""
    expressions = [
        rnd.choice(
            (
                {"key": rnd.choice(("app", "tier")), "operator": "In", "values": rnd.sample(("heat", "cold"), 1)},
                {"key": rnd.choice(("app", "tier")), "operator": "NotIn", "values": ["heat"]},
                {"key": rnd.choice(("app", "tier")), "operator": rnd.choice(("Exists", "DoesNotExist"))},
            )
        )
        for _ in range(rnd.randint(0, 2))
    ]
    where = rnd.choice(({}, {"namespaces": ["default", "else"]}, {"namespaceSelector": {"matchLabels": {"a": "b"}}}))
    selector = rnd.choice(({"matchExpressions": expressions}, {"matchExpressions": expressions}, None))
    return {"topologyKey": rnd.choice(("zone", "host")), "labelSelector": selector, **where}


@pytest.mark.parametrize("seed", range(4))
def test_pods_kept_away_are_those_that_a_check_of_every_term_of_every_pod_finds(seed):
    rnd, pods_nearby, there = random.Random(seed), PodsNearby(list, users_changed=ignore), []  # noqa: S311 - cases of a test are no secrets
    pods = [keeping_away(rnd.choice(list(ZONES)), name=f"p{number}", **some_term(rnd)) for number in range(30)]
    domains = Domains(nodes())
    for _ in range(300):
        pod = rnd.choice(pods)
        (there.remove if pod in there else there.append)(pod)
        (pods_nearby.enter if pod in there else pods_nearby.leave)(pod)
        labels = {key: value for key in ("app", "tier") if (value := rnd.choice(("heat", "cold", None)))}
        namespace, of_namespace = rnd.choice(("default", "else")), rnd.choice(({}, {"a": "b"}))
        own = rnd.sample(there, rnd.randint(0, min(3, len(there))))

        names = pods_nearby.anti_affinity.names(labels, namespace, of_namespace, domains, own)

        want = {
            name
            for other in there
            for term in other.anti_affinity_terms
            if other not in own and means(term, labels, namespace, of_namespace)
            for name in domains.near(term.topology_key, [other.node])
        }
        assert names == want


def crowd(count, **where):
    """So many pods in the namespace default, each with a term of its own that means no pod of the label ``app``."""
    selectors = [{"matchExpressions": [{"key": f"k{number}", "operator": "Exists"}]} for number in range(count)]
    return [
        keeping_away("n1", name=f"p{number}", topologyKey="host", labelSelector=selector, **where)
        for number, selector in enumerate(selectors)
    ]


@pytest.mark.parametrize(
    ("where", "most", "want_elsewhere"),
    [
        pytest.param({}, MOST_OF_NAMESPACE, set(), id="about their own namespace"),
        pytest.param({"namespaceSelector": {}}, MOST_ABOUT_OTHERS, {"n1"}, id="about all namespaces"),
    ],
)
def test_more_terms_of_a_namespace_than_are_distinguished_keep_all_pods_away_that_they_may_match(
    where, most, want_elsewhere
):
    pods_nearby, domains = PodsNearby(list, users_changed=ignore), Domains(nodes())
    pods = crowd(most + 1, **where)

    def kept_away(namespace):
        return pods_nearby.anti_affinity.names(HEAT, namespace, {}, domains)

    for pod in pods[:-1]:
        pods_nearby.enter(pod)
    assert kept_away("default") == kept_away("elsewhere") == set()
    pods_nearby.enter(pods[-1])
    assert (kept_away("default"), kept_away("elsewhere")) == ({"n1"}, want_elsewhere)
    pods_nearby.leave(pods[0])
    # The last one is understood as it was when it came.
    assert kept_away("default") == {"n1"}
    for pod in pods[1:]:
        pods_nearby.leave(pod)
    assert not pods_nearby.anti_affinity.concerns("default")


def of_terms(count, **more):
    """A pod with so many terms, none of which means a pod of the label ``app``."""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = [
        {"labelSelector": {"matchExpressions": [{"key": f"k{number}", "operator": "Exists"}]}, "topologyKey": "host"}
        for number in range(count)
    ]
    affinity = {"podAntiAffinity": {required: [{**term, **more} for term in terms]}}
    return parse_pod(pod_manifest("other", node="n1", spec={"affinity": affinity}))


@pytest.mark.parametrize(
    ("pod", "want"),
    [
        pytest.param(of_terms(MOST_TERMS_OF_POD), set(), id="as many as are distinguished"),
        pytest.param(of_terms(MOST_TERMS_OF_POD + 1), {"n1"}, id="one more"),
        pytest.param(of_terms(MOST_TERMS_OF_POD + 1, topologyKey="zone"), {"n1", "n2"}, id="one more, of the zone"),
        pytest.param(of_terms(1, namespaces=[f"x{number}" for number in range(2000)]), {"n1"}, id="a long one"),
    ],
)
def test_pod_with_more_terms_than_are_distinguished_keeps_all_pods_away(pod, want):
    assert kept_away(pod, namespace="elsewhere") == want


def test_pod_that_names_more_labels_than_nodes_have_keeps_all_pods_away_from_all_nodes():
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    terms = [{"labelSelector": {}, "topologyKey": f"label-{number}"} for number in range(MOST_TERMS_OF_POD + 1)]
    pod = parse_pod(pod_manifest("other", node="n1", spec={"affinity": {"podAntiAffinity": {required: terms}}}))

    assert kept_away(pod, namespace="elsewhere") == set(ZONES)
