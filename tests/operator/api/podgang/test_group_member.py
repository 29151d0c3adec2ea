"""Which Gang a pod belongs to, whether it waits, and the seat that its binding wrote."""

import pytest

from builders.served import gang, owned_by, pod
from builders.volumes import ephemeral
from lockstep.api.podgang import any_pod, group_member
from lockstep.api.podgang.group_member import seat_annotations
from lockstep.api.podgang.pod_roles import role_of_pod
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Membership
from lockstep.facts.reasons import Reason

OURS = {"schedulerName": "lockstep"}
LABEL = "lockstep.dev/member-of"
HEAT = pod_gang_key("default", "heat")
SEAT = Membership(HEAT, "uid-of-heat", attempt=3, rank=7)
ZONE_SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}


def membership(manifest):
    """What a pod is to its Gang, where users write Gangs."""
    return group_member.group_member(manifest, {Source.PODS})


def parse(manifest):
    """The fact of a pod, where users write Gangs."""
    return any_pod.parse_any_pod(manifest, {Source.PODS})


def of_heat(*, spec=None, labels=None, **more):
    """Describe a pod of the Gang heat."""
    return pod("a", spec={**OURS, **(spec or {})}, labels={LABEL: "heat", **(labels or {})}, **more)


def changed(part, field, value):
    """Describe a pod of the Gang with another value of one field; None takes the field away."""
    manifest = of_heat()
    rest = {key: one for key, one in manifest[part].items() if key != field}
    return {**manifest, part: rest if value is None else {**rest, field: value}}


def refusal_of(**spec):
    """Why a pod with these fields can't be planned."""
    needs = membership(of_heat(spec=spec)).waiting.needs
    assert isinstance(needs, Refusal)
    return needs


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(pod("a", labels={LABEL: "heat"}), id="another scheduler"),
        pytest.param(pod("a", spec=OURS), id="no labels"),
        pytest.param(of_heat(labels={LABEL: ""}), id="an empty label"),
        pytest.param(of_heat(spec={"schedulerName": "default-scheduler"}), id="Kubernetes' scheduler"),
    ],
)
def test_pod_without_label_or_scheduler_is_of_no_gang(manifest):
    assert membership(manifest) is None
    assert not isinstance(parse(manifest), GroupedPod)


GROUPED = {"schedulingGroup": {"podGroupName": "heat"}}
OF_JOB = {"apiVersion": "batch/v1", "kind": "Job", "name": "heat", "uid": "u", "controller": True}
OTHER_GROUP = {"scheduling.x-k8s.io/pod-group": "other"}
EVERY = frozenset(Source)


@pytest.mark.parametrize(
    ("manifest", "sources", "want"),
    [
        pytest.param(of_heat(spec=GROUPED), EVERY, "heat", id="the pod's own label first"),
        pytest.param(
            pod("a", spec={**OURS, **GROUPED}, labels=OTHER_GROUP), EVERY, "schedulinggroup.heat", id="then this group"
        ),
        pytest.param(
            pod("a", spec={**OURS, **GROUPED}, labels=OTHER_GROUP),
            EVERY - {Source.SCHEDULING_GROUP},
            "podgroup.other",
            id="where it is a source",
        ),
    ],
)
def test_group_of_a_pod_counts_between_its_own_label_and_other_groups(manifest, sources, want):
    assert group_member.group_member(manifest, sources).gang == pod_gang_key("default", want)


@pytest.mark.parametrize("sources", [EVERY, {Source.JOB}], ids=["every source", "Jobs alone"])
def test_pod_of_a_job_that_got_its_size_belongs_to_the_job_and_not_to_its_group(sources):
    sized = {"lockstep.dev/sized": "3"}
    manifest = pod("a", spec={**OURS, **GROUPED}, annotations=sized, ownerReferences=[OF_JOB])

    found = group_member.group_member(manifest, sources)

    assert found.gang == pod_gang_key("default", "job.heat")
    assert not isinstance(found.waiting.needs, Refusal)


def test_pod_of_a_group_that_is_no_source_is_refused_with_the_name_of_the_source():
    manifest = pod("a", spec={**OURS, **GROUPED}, ownerReferences=[OF_JOB])

    needs = group_member.group_member(manifest, {Source.JOB}).waiting.needs

    assert needs.reason == Reason.UNSUPPORTED_FIELD
    assert needs.message == (
        "pod a.spec.schedulingGroup: Lockstep reads its PodGroup only with the source schedulinggroup."
    )


@pytest.mark.parametrize("sources", [{Source.SCHEDULING_GROUP}, {Source.PODS}], ids=["its group", "its own label"])
def test_group_that_is_read_or_does_not_count_is_no_reason_to_refuse_a_pod(sources):
    needs = group_member.group_member(of_heat(spec=GROUPED), sources).waiting.needs

    assert not isinstance(needs, Refusal)


def test_pod_is_of_no_gang_where_no_source_is_placed():
    assert group_member.group_member(of_heat(), ()) is None
    assert not isinstance(any_pod.parse_any_pod(of_heat()), GroupedPod)


@pytest.mark.parametrize(
    ("says", "want"),
    [({}, True), ({"preemptionPolicy": "PreemptLowerPriority"}, True), ({"preemptionPolicy": "Never"}, False)],
    ids=["nothing", "it does", "it does not"],
)
def test_pod_that_waits_says_whether_others_give_way_to_it(says, want):
    assert membership(of_heat(spec=says)).waiting.preempts is want


def test_pod_that_waits_says_what_it_needs():
    found = membership(of_heat(spec={"priorityClassName": "high"}, cpu="2"))

    assert (found.gang, found.seat) == (HEAT, None)
    assert (found.waiting.name, found.waiting.priority_class) == ("a", "high")
    assert dict(found.waiting.needs.request)["cpu"] == 2000
    assert found.waiting.labels == ((LABEL, "heat"),)


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(of_heat(node="n1"), id="on a node"),
        pytest.param(changed("spec", "schedulingGates", [{"name": "hold"}]), id="gated"),
        pytest.param(changed("metadata", "deletionTimestamp", "2026-11-27T12:00:00Z"), id="being deleted"),
        pytest.param(of_heat(phase="Failed"), id="failed before it had a node"),
        pytest.param(of_heat(phase="Running", node="n1"), id="running"),
    ],
)
def test_pod_that_cannot_be_bound_belongs_to_its_gang_and_does_not_wait(manifest):
    found = membership(manifest)

    assert (found.gang, found.waiting) == (HEAT, None)


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(changed("spec", "schedulingGates", []), id="no gate is left"),
        pytest.param({**of_heat(), "status": {}}, id="no phase yet"),
        pytest.param(of_heat(phase="Running"), id="said to run without a node"),
        pytest.param({key: part for key, part in of_heat().items() if key != "status"}, id="no status yet"),
    ],
)
def test_pod_waits_as_soon_as_nothing_keeps_it(manifest):
    assert membership(manifest).waiting is not None


def test_seat_is_read_as_the_binding_wrote_it():
    found = membership(of_heat(node="n1", annotations=seat_annotations(SEAT, rank=7, size=8)))

    assert (found.seat, found.rank, found.waiting) == (SEAT, 7, None)


def test_annotations_of_a_seat_count_only_on_a_node():
    found = membership(of_heat(annotations=seat_annotations(SEAT, rank=7, size=8)))

    assert found.seat is None
    assert found.waiting is not None


@pytest.mark.parametrize("rank", ["", "-1", "1.0", " 1", "1e3", "٣", "²", "x", "9" * 7])
def test_forged_numbers_are_no_seat(rank):
    for seat in (f"uid/{rank}/7", f"uid/3/{rank}"):
        assert membership(of_heat(node="n1", annotations={"lockstep.dev/seat": seat})).seat is None
    assert membership(of_heat(node="n1", annotations={"lockstep.dev/rank": rank})).rank is None


def test_seat_is_of_the_gang_that_the_label_names_in_the_pods_own_namespace():
    manifest = of_heat(node="n1", annotations=seat_annotations(SEAT, rank=7, size=8))
    elsewhere = {**manifest, "metadata": {**manifest["metadata"], "namespace": "other"}}

    assert membership(elsewhere).seat.gang == pod_gang_key("other", "heat")


@pytest.mark.parametrize(
    ("label", "want_index"), [("3", 3), ("0", 0), ("", -1), ("-3", -1), ("three", -1), ("9" * 9, -1)]
)
def test_completion_index_is_that_of_an_indexed_job(label, want_index):
    manifest = of_heat(labels={"batch.kubernetes.io/job-completion-index": label})

    assert membership(manifest).waiting.completion_index == want_index


@pytest.mark.parametrize(
    ("field", "value", "want_path"),
    [
        ("topologySpreadConstraints", [ZONE_SPREAD], "pod a.spec.topologySpreadConstraints[0]"),
        ("resourceClaims", [{"name": "gpu", "resourceClaimName": "gpu"}], "pod a.spec.resourceClaims"),
        ("volumes", ephemeral("fast")["volumes"], "pod a.spec.volumes"),
    ],
)
def test_pod_that_cannot_be_planned_is_refused_with_its_field(field, value, want_path):
    refusal = refusal_of(**{field: value})

    assert refusal.reason is Reason.UNSUPPORTED_FIELD
    assert refusal.message.startswith(want_path)


def test_pods_with_the_same_claim_are_alike():
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "shared"}}
    one, other = (
        membership(pod(name, spec={**OURS, "volumes": [volume]}, labels={LABEL: "heat"})).waiting for name in "ab"
    )

    assert one.needs == other.needs
    assert one.needs.claims


def test_pod_of_a_gang_is_no_member_and_takes_a_slot():
    plain, grouped = parse(pod("a")), parse(of_heat())

    assert grouped.member is None
    assert dict(grouped.request) == {**dict(plain.request), "bid slots": 1}


def test_member_of_a_gangjob_stays_one_whatever_labels_it_has():
    owner = owned_by(gang("heat")["metadata"]["name"])
    owner["labels"] = {**owner.get("labels", {}), LABEL: "heat"}

    found = parse(pod("heat-1-0", spec=OURS, **owner))

    assert found.member is not None
    assert not isinstance(found, GroupedPod)


@pytest.mark.parametrize(
    ("labels", "want"),
    [
        pytest.param({LABEL: "heat", "lockstep.dev/role": "workers"}, "workers", id="its own label"),
        pytest.param({LABEL: "heat", "ray.io/group": "workers"}, "", id="that of an owner for which no Gang is made"),
        pytest.param({LABEL: "heat"}, "", id="none"),
    ],
)
def test_role_of_a_pod_is_what_its_label_says(labels, want):
    assert parse(pod("a", spec=OURS, labels=labels)).group.role == want


@pytest.mark.parametrize(
    ("source", "label"),
    [
        (Source.JOB_SET, "jobset.sigs.k8s.io/replicatedjob-name"),
        (Source.MPI_JOB, "training.kubeflow.org/job-role"),
        (Source.RAY_CLUSTER, "ray.io/group"),
    ],
)
def test_role_in_a_gang_that_is_made_is_what_the_controller_says(source, label):
    assert role_of_pod({label: "workers", "lockstep.dev/role": "other"}, source) == "workers"
    assert role_of_pod({}, source) == ""


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        ({"hostname": "heat-0", "subdomain": "heat"}, "heat-0.heat"),
        ({"hostname": "heat-0"}, ""),
        ({"subdomain": "heat"}, ""),
        ({}, ""),
    ],
)
def test_host_is_known_where_dns_knows_it(spec, want):
    assert parse(of_heat(spec=spec)).group.host == want
