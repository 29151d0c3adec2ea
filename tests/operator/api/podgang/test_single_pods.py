"""Which pods are gangs of one: pods of controllers whose pods run alone, and pods of no controller."""

import pytest

from builders.served import pod
from builders.volumes import ephemeral
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.group_member import group_member, seat_annotations
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Membership

OURS = {"schedulerName": "lockstep"}
ONLY_SINGLE, ALL = frozenset({Source.SINGLE}), frozenset(Source)


def controlled_by(kind, api_version="apps/v1", **more):
    """Describe the controller of a pod."""
    return [{"apiVersion": api_version, "kind": kind, "name": "web", "uid": "uid-of-web", "controller": True, **more}]


def single(name="web-0", *, spec=None, **more):
    """Describe a pod that names Lockstep as its scheduler."""
    return pod(name, spec={**OURS, **(spec or {})}, **more)


@pytest.mark.parametrize(
    "owners",
    [
        pytest.param(None, id="no owners"),
        pytest.param([], id="an empty list of owners"),
        pytest.param(controlled_by("Node", "v1", controller=False), id="an owner that is no controller"),
        pytest.param(controlled_by("ReplicaSet"), id="ReplicaSet"),
        pytest.param(controlled_by("StatefulSet"), id="StatefulSet"),
        pytest.param(controlled_by("DaemonSet"), id="DaemonSet"),
        pytest.param(controlled_by("ReplicationController", "v1"), id="ReplicationController"),
    ],
)
@pytest.mark.parametrize("sources", [ONLY_SINGLE, ALL], ids=["single alone", "all sources"])
def test_pod_that_needs_no_others_is_a_gang_of_one_that_it_owns(owners, sources):
    found = group_member(single(ownerReferences=owners), sources)

    assert (found.gang, found.owner) == (pod_gang_key("default", "single.web-0"), "uid-of-web-0")
    assert (found.waiting.name, found.waiting.source) == ("web-0", Source.SINGLE)


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(pod("a"), id="another scheduler"),
        pytest.param(
            single(ownerReferences=controlled_by("StatefulSet", "apps.kruise.io/v1")), id="another StatefulSet"
        ),
        pytest.param(single(ownerReferences=controlled_by("PyTorchJob", "kubeflow.org/v1")), id="PyTorchJob"),
        pytest.param(single(ownerReferences=controlled_by("Job", "batch/v1")), id="Job"),
        pytest.param(single(labels={"lockstep.dev/member-of": "heat"}), id="a Gang of a user"),
        pytest.param(single(labels={"scheduling.x-k8s.io/pod-group": "heat"}), id="PodGroup"),
        pytest.param(single(labels={"jobset.sigs.k8s.io/jobset-name": "heat"}), id="JobSet"),
        pytest.param(single(labels={"ray.io/cluster": "heat"}), id="RayCluster"),
        pytest.param(
            single(
                labels={"leaderworkerset.sigs.k8s.io/name": "heat", "leaderworkerset.sigs.k8s.io/group-index": "0"},
                ownerReferences=controlled_by("StatefulSet"),
            ),
            id="LeaderWorkerSet",
        ),
        pytest.param(
            single(labels={"leaderworkerset.sigs.k8s.io/name": "heat"}, ownerReferences=controlled_by("StatefulSet")),
            id="LeaderWorkerSet without the number of its group",
        ),
        pytest.param(single(labels={"kueue.x-k8s.io/pod-group-name": "heat"}), id="a group of Kueue"),
        pytest.param(single(labels={"pod-group.scheduling.sigs.k8s.io": "heat"}), id="an older PodGroup"),
        pytest.param(single(annotations={"scheduling.k8s.io/group-name": "heat"}), id="a group of Volcano"),
        pytest.param(single(spec={"schedulingGroup": {"podGroupName": "heat"}}), id="a group of Kubernetes' own"),
        pytest.param(single(spec={"workloadRef": {"name": "heat"}}), id="a Workload of Kubernetes 1.35"),
    ],
)
def test_pod_that_may_need_others_is_no_gang_of_one(manifest):
    assert group_member(manifest, ONLY_SINGLE) is None
    assert not isinstance(parse_any_pod(manifest, ONLY_SINGLE), GroupedPod)


def test_pods_of_no_group_belong_to_no_gang_without_their_source():
    assert group_member(single(), ALL - ONLY_SINGLE) is None


def test_seat_of_a_single_pod_is_read_as_its_binding_wrote_it():
    gang = pod_gang_key("default", "single.web-0")
    seat = Membership(gang, "uid-of-gang", attempt=1, rank=0)

    found = group_member(single(node="n1", annotations=seat_annotations(seat, rank=0, size=1)), ONLY_SINGLE)

    assert (found.seat, found.rank, found.waiting) == (seat, 0, None)


def test_pod_of_a_daemon_set_goes_to_the_node_that_it_names():
    [field] = [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]
    required = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}

    found = group_member(single(spec={"affinity": affinity}), ONLY_SINGLE)

    [term] = found.waiting.needs.constraints.affinity
    [requirement] = term.fields
    assert requirement == ("metadata.name", "In", ("n1",))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        pytest.param("volumes", ephemeral("fast")["volumes"], id="a claim of its own"),
        pytest.param("resourceClaims", [{"name": "gpu", "resourceClaimName": "gpu"}], id="a device"),
    ],
)
def test_pod_that_cannot_be_planned_is_refused_with_its_field(field, value):
    needs = group_member(single(spec={field: value}), ONLY_SINGLE).waiting.needs

    assert isinstance(needs, Refusal)
    assert needs.message.startswith(f"pod web-0.spec.{field}")
