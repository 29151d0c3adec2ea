"""Which pods belong to a group of Kueue, and what they say of it."""

import pytest

from builders.served import pod
from lockstep.api.podgang.group_member import group_member
from lockstep.api.podgang.kueue_group import KUEUE_GROUP, TOTAL_COUNT, group_terms
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.source import Source

OURS = {"schedulerName": "lockstep"}
LABELS = {KUEUE_GROUP: "heat"}
FAST = "kueue.x-k8s.io/pod-group-fast-admission"
ALL = frozenset(Source)


def grouped(*, labels=None, controller=None, **more):
    """Describe a pod that names the group heat."""
    owners = None
    if controller:
        api_version, _, kind = controller.rpartition("/")
        owners = [{"apiVersion": api_version, "kind": kind, "name": "web", "uid": "of-web", "controller": True}]
    return pod("a", spec=OURS, labels={**LABELS, **(labels or {})}, ownerReferences=owners, **more)


def gang_of(manifest, sources=ALL):
    found = group_member(manifest, sources)
    return None if found is None else found.gang


@pytest.mark.parametrize("controller", [None, "apps/v1/StatefulSet", "apps/v1/ReplicaSet", "argoproj.io/v1/Workflow"])
def test_pod_belongs_to_the_group_that_it_names(controller):
    assert gang_of(grouped(controller=controller)) == pod_gang_key("default", "kueuegroup.heat")


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        pytest.param({"lockstep.dev/member-of": "mine"}, "mine", id="a Gang of a user"),
        pytest.param({"scheduling.x-k8s.io/pod-group": "mine"}, "podgroup.mine", id="a PodGroup"),
    ],
)
def test_what_a_pod_names_for_other_schedulers_comes_first_if_it_is_a_source(labels, want):
    manifest = grouped(labels=labels)

    assert gang_of(manifest) == pod_gang_key("default", want)
    assert gang_of(manifest, {Source.KUEUE_GROUP}) == pod_gang_key("default", "kueuegroup.heat")


@pytest.mark.parametrize(
    "controller",
    [
        "batch/v1/Job",
        "ray.io/v1/RayCluster",
        "kubeflow.org/v1/PyTorchJob",
        "kubeflow.org/v2beta1/MPIJob",
        "workload.codeflare.dev/v1beta2/AppWrapper",
    ],
)
def test_pod_of_an_owner_that_kueue_queues_belongs_to_no_group(controller):
    assert gang_of(grouped(controller=controller), {Source.KUEUE_GROUP}) is None


def test_pod_of_a_leader_worker_set_belongs_to_no_group():
    labels = {"leaderworkerset.sigs.k8s.io/name": "web", "leaderworkerset.sigs.k8s.io/group-index": "0"}
    manifest = grouped(labels=labels, controller="apps/v1/StatefulSet")

    assert gang_of(manifest, {Source.KUEUE_GROUP}) is None
    assert gang_of(manifest) == pod_gang_key("default", "leaderworkerset.web.0")


def test_pod_that_names_no_group_belongs_to_none():
    assert gang_of(grouped(labels={KUEUE_GROUP: ""}), {Source.KUEUE_GROUP}) is None


@pytest.mark.parametrize(
    ("text", "want"),
    [("4", 4), ("+4", 4), ("004", 4), ("10000", 10_000)]
    + [(text, 0) for text in ("", "0", "-1", "four", "4.0", " 4", "4 ", "1e3", "٣", "10001", "9" * 5000)],
)
def test_count_is_a_number_as_kueue_reads_it(text, want):
    terms = group_terms({TOTAL_COUNT: text})

    assert (terms.total, terms.fewest) == (want, want)


@pytest.mark.parametrize(("fast", "want"), [("true", 1), ("false", 4), ("True", 4)])
def test_group_whose_pods_come_one_by_one_needs_no_others(fast, want):
    assert group_terms({TOTAL_COUNT: "4", FAST: fast}).fewest == want


def test_terms_are_one_object_and_have_no_other_annotations():
    one, other = (group_terms({TOTAL_COUNT: "4", "example.com/note": text * 1000}) for text in "ab")

    assert one is other
    assert one.annotations == ((TOTAL_COUNT, "4"),)


def test_terms_of_a_pod_that_waits_and_of_one_on_a_node_are_the_same():
    waits, runs = (grouped(annotations={TOTAL_COUNT: "4"}, node=node) for node in (None, "n1"))

    found = [group_member(manifest, ALL).terms for manifest in (waits, runs)]

    assert found == [group_terms({TOTAL_COUNT: "4"})] * 2


def test_pod_of_another_source_says_nothing_of_a_group():
    assert group_member(pod("a", spec=OURS), ALL).terms is None
