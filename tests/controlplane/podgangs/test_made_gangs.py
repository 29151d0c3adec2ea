"""The operator makes the Gang of a Job, by the Job's own numbers and annotations, and changes it with the Job."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.pod_gangs import RANK
from sandbox import ApiError

pytestmark = pytest.mark.usefixtures("operator")


def reasons_about(gangs, name, kind="Pod"):
    events = gangs.arena.events(name)
    return {event["reason"]: event["note"] for event in events if event["regarding"]["kind"] == kind}


def test_job_needs_only_the_name_of_its_scheduler(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.create_job("", 4, name="heat")

    gangs.until("job.heat", "Placed")

    assert gangs.bound("job.heat") == 4
    made = gangs.api.request("GET", f"{gangs.path}/job.heat")
    assert made["spec"] == {"size": {"min": 4}}
    assert [owner["kind"] for owner in made["metadata"]["ownerReferences"]] == ["Job"]


def test_job_that_is_too_large_binds_nothing(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.create_job("", 5, name="large")

    eventually(lambda: "It needs 5 members, and 4 fit" in gangs.condition("job.large", "Planned").get("message", ""))

    assert gangs.bound("job.large") == 0


def test_gang_goes_with_its_job(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 2, name="heat")
    gangs.until("job.heat", "Placed")

    gangs.api.request("DELETE", f"{gangs.jobs}/heat?propagationPolicy=Background")

    eventually(lambda: is_absent(gangs, f"{gangs.path}/job.heat"))


def test_job_asks_for_the_hosts_of_all_and_they_go_with_its_gang(arena, gangs):
    arena.add_nodes(2, cpu="2")
    template = gangs.template("", subdomain="heat")
    gangs.create_job("", 3, name="heat", annotations={"lockstep.dev/hosts": "ConfigMap"}, template=template)
    gangs.until("job.heat", "Placed")

    path = f"{arena.core}/configmaps/job.heat.hosts"
    there = gangs.api.request("GET", path)
    ranks = sorted((pod["metadata"]["annotations"][RANK], pod) for pod in gangs.pods("job.heat"))
    members = [f"{rank} {pod['metadata']['name']} {pod['spec']['nodeName']}" for rank, pod in ranks]
    assert there["data"]["members"].splitlines() == members
    assert there["data"]["hosts"].split() == ["heat-0.heat", "heat-1.heat", "heat-2.heat"]

    gangs.api.request("DELETE", f"{gangs.jobs}/heat?propagationPolicy=Background")
    eventually(lambda: is_absent(gangs, path))


def is_absent(gangs, path):
    try:
        gangs.api.request("GET", path)
    except ApiError as error:
        return error.status == 404
    return False


def test_annotations_of_a_job_say_its_size_and_its_work(arena, gangs):
    arena.add_nodes(1, cpu="2")
    says = {
        "lockstep.dev/size": "2-6",
        "lockstep.dev/serial-time": "1h",
        "lockstep.dev/overhead-per-member": "500ms",
    }
    gangs.create_job("", 4, name="heat", annotations=says)

    gangs.until("job.heat", "Placed")

    work = {"serialTime": "1h", "overhead": {"perMember": "500ms"}}
    assert gangs.spec("job.heat") == {"size": {"min": 2, "max": 6}, "work": work}
    assert gangs.bound("job.heat") == 2


def test_annotation_that_a_job_takes_back_leaves_its_gang(arena, gangs):
    arena.add_nodes(1, cpu="1")
    overhead = "lockstep.dev/overhead-per-member"
    gangs.create_job("", 2, name="heat", annotations={"lockstep.dev/serial-time": "1h", overhead: "500ms"})
    gangs.until("job.heat", "Planned", "False")
    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"spec": {"suspend": True}})
    eventually(lambda: not gangs.pods("job.heat"))

    arena.add_nodes(1, cpu="1")
    resumed = {"metadata": {"annotations": {overhead: None}}, "spec": {"suspend": False}}
    gangs.api.request("PATCH", f"{gangs.jobs}/heat", resumed)

    gangs.until("job.heat", "Placed")
    assert gangs.spec("job.heat") == {"size": {"min": 2}, "work": {"serialTime": "1h"}}


@pytest.mark.search("annotations that are no values")
@pytest.mark.parametrize(
    ("annotation", "text", "sentence"),
    [
        ("lockstep.dev/size", "many", "annotation lockstep.dev/size: 'many' is not a number or range of pods"),
        ("lockstep.dev/size", "5", "annotation lockstep.dev/size: asks for at least 5 pods, but only 4"),
        ("lockstep.dev/serial-time", "soon", "annotation lockstep.dev/serial-time: 'soon' is not a duration"),
        ("lockstep.dev/serial-time", "0s", "spec.work.serialTime"),
        ("lockstep.dev/serial-time", "-1h", "serialTime"),
        ("lockstep.dev/serial-time", "1d", "serialTime"),
        ("lockstep.dev/serial-time", "99999999h", "serialTime"),
    ],
)
def test_annotation_that_is_no_value_is_refused_with_a_sentence_until_it_is_mended(
    arena, gangs, annotation, text, sentence
):
    arena.add_nodes(1, cpu="4")
    gangs.create_job("", 4, name="heat", annotations={annotation: text})

    says = gangs.until("job.heat", "Accepted", "False", "InvalidSpec")
    assert says["message"].startswith("Job: ")
    assert sentence in says["message"]
    eventually(lambda: reasons_about(gangs, "heat", "Job").get("InvalidSpec") == says["message"])
    assert gangs.bound("job.heat") == 0

    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"metadata": {"annotations": {annotation: None}}})
    gangs.until("job.heat", "Placed")


@pytest.mark.parametrize("of", ["kueue", "kai"])
def test_job_that_requires_one_domain_is_placed_in_one(arena, gangs, of):
    arena.add_nodes(1, cpu="3", labels={"example.com/rack": "narrow"})
    arena.add_nodes(2, cpu="2", labels={"example.com/rack": "wide"})
    for_kueue = {"kueue.x-k8s.io/podset-required-topology": "example.com/rack"} if of == "kueue" else {}
    for_kai = {"kai.scheduler/topology-required-placement": "example.com/rack"} if of == "kai" else {}
    template = gangs.template("", annotations=for_kueue)

    gangs.create_job("", 4, name="heat", annotations=for_kai, template=template)

    gangs.until("job.heat", "Placed")
    assert gangs.spec("job.heat")["placement"] == {"allIn": "example.com/rack"}
    assert set(gangs.nodes_of("job.heat")) == set(arena.nodes[1:])


def test_job_whose_domain_is_no_label_is_refused_until_it_is_mended(arena, gangs):
    arena.add_nodes(1, cpu="4", labels={"example.com/rack": "wide"})
    required = "kai.scheduler/topology-required-placement"
    gangs.create_job("", 4, name="heat", annotations={required: "no label"})
    assert "named as Kubernetes" in gangs.until("job.heat", "Accepted", "False", "InvalidSpec")["message"]

    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"metadata": {"annotations": {required: "example.com/rack"}}})

    gangs.until("job.heat", "Placed")


def test_job_that_asks_for_less_while_it_waits_is_placed_as_it_is_now(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 4, name="heat")
    eventually(lambda: "It needs 4 members, and 2 fit" in gangs.condition("job.heat", "Planned").get("message", ""))

    gangs.api.request("PATCH", f"{gangs.jobs}/heat", {"spec": {"parallelism": 2, "completions": 2}})

    gangs.until("job.heat", "Placed")
    assert gangs.bound("job.heat") == 2


def test_gang_that_a_user_wrote_for_a_job_stays_as_it_is(arena, gangs):
    arena.add_nodes(1, cpu="3")
    gangs.submit("job.heat", 2)
    gangs.create_job("", 4, name="heat")

    gangs.until("job.heat", "Placed")

    eventually(lambda: gangs.bound("job.heat") == 3)
    assert gangs.spec("job.heat") == {"size": {"min": 2}}


def test_two_sources_that_claim_one_name_are_refused(arena, gangs):
    arena.add_nodes(1, cpu="8")
    gangs.submit("job.heat", 5)
    gangs.create_job("", 4, name="heat")
    gangs.create_pods("job.heat", "other")

    says = gangs.until("job.heat", "Accepted", "False", "InvalidSpec")

    assert "pod other by pods" in says["message"]


def test_pods_that_cant_be_placed_with_those_of_a_job_are_said_about_the_job(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 4, name="heat")
    gangs.create_pods("job.heat", "other")

    gangs.until("job.heat", "Accepted", "False", "InvalidSpec")

    eventually(lambda: "InvalidSpec" in reasons_about(gangs, "heat", "Job"))
    assert "pod other by pods" in reasons_about(gangs, "heat", "Job")["InvalidSpec"]


def test_gang_that_awaits_pods_says_since_when(arena, gangs):
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a")

    [pod] = gangs.pods("heat")
    want = f"1 of the 2 needed pods wait for a node, the first since {pod['metadata']['creationTimestamp']}."
    eventually(lambda: gangs.condition("heat", "Planned").get("message") == want)


def test_pods_that_name_a_gang_that_is_not_there_say_so(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.create_pods("haet", "a", "b")

    eventually(lambda: "GangMissing" in reasons_about(gangs, "a"))

    assert "there is no Gang haet" in reasons_about(gangs, "a")["GangMissing"]
    assert gangs.bound("haet") == 0


@pytest.mark.parametrize(
    ("labels", "owner"),
    [
        pytest.param({"jobset.sigs.k8s.io/jobset-name": "heat"}, "JobSet heat", id="JobSet"),
        pytest.param(
            {"leaderworkerset.sigs.k8s.io/name": "heat", "leaderworkerset.sigs.k8s.io/group-index": "0"},
            "LeaderWorkerSet heat.0",
            id="LeaderWorkerSet",
        ),
        pytest.param(
            {"training.kubeflow.org/job-name": "heat", "training.kubeflow.org/operator-name": "mpi-operator"},
            "MPIJob heat",
            id="MPIJob",
        ),
        pytest.param({"scheduling.x-k8s.io/pod-group": "heat"}, "PodGroup heat", id="PodGroup"),
        pytest.param({"ray.io/cluster": "heat"}, "RayCluster heat", id="RayCluster"),
    ],
)
def test_pods_whose_owner_is_not_there_say_so(arena, gangs, labels, owner):
    """The operator may ask for each kind of owners, also where the cluster does not have that kind."""
    arena.add_nodes(1, cpu="2")
    metadata = {"name": "a", "labels": labels}
    arena.create({"apiVersion": "v1", "kind": "Pod", **gangs.template(""), "metadata": metadata})

    eventually(lambda: "GangMissing" in reasons_about(gangs, "a"))

    said = reasons_about(gangs, "a")["GangMissing"]
    assert f"{owner} can't be read: " in said
    assert "forbidden" not in said


def test_last_pod_of_a_job_that_fails_when_the_others_have_succeeded_is_placed_again(arena, gangs):
    arena.add_nodes(2, cpu="2")
    gangs.create_job("", 3, name="heat", backoffLimit=4)
    gangs.until("job.heat", "Placed")

    first, second, last = (pod["metadata"]["name"] for pod in gangs.pods("job.heat"))
    for name, phase in ((first, "Succeeded"), (second, "Succeeded"), (last, "Failed")):
        arena.patch_pod_status(name, {"phase": phase})

    eventually(lambda: gangs.bound("job.heat") == 4)


def test_gang_job_is_planned_for_the_expected_end_of_a_job(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 2, name="heat", annotations={"lockstep.dev/serial-time": "4h"})
    gangs.until("job.heat", "Placed")

    arena.submit(gang("next", size=2, work={"serialTime": "1h"}))

    arena.until("next", "Planned", "True", "StartsLater")
    eventually(lambda: arena.status("next")["start"] == gangs.status("job.heat")["expectedFinish"])


def test_job_that_is_made_anew_larger_is_never_placed_in_part(arena, gangs):
    arena.add_nodes(1, cpu="2")
    gangs.create_job("", 2, name="heat")
    gangs.until("job.heat", "Placed")
    gangs.api.request("DELETE", f"{gangs.jobs}/heat?propagationPolicy=Background")
    gangs.create_job("", 4, name="heat")

    eventually(lambda: "It needs 4 members" in gangs.condition("job.heat", "Planned").get("message", ""))

    assert gangs.bound("job.heat") == 0
    arena.add_nodes(1, cpu="2")
    eventually(lambda: gangs.bound("job.heat") == 4)
    made = gangs.api.request("GET", f"{gangs.path}/job.heat")["metadata"]["ownerReferences"]
    assert [one["uid"] for one in made] == [gangs.api.request("GET", f"{gangs.jobs}/heat")["metadata"]["uid"]]


def test_pod_that_a_person_has_put_on_a_node_opens_no_gang(arena, gangs):
    [node] = arena.add_nodes(1, cpu="4")
    gangs.submit("heat", 3)
    gangs.create_pods("heat", "by-hand", nodeName=node)
    gangs.create_pods("heat", "a")
    eventually(lambda: "1 of the 3" in gangs.condition("heat", "Planned").get("message", ""))

    gangs.create_pods("heat", "b", "c")

    gangs.until("heat", "Placed")
    eventually(lambda: gangs.bound("heat") == 4)


def test_pods_of_one_kind_with_other_labels_keep_apart_from_each_other(arena, gangs):
    arena.add_nodes(2, cpu="4")
    apart = [
        {
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchExpressions": [{"key": "x", "operator": "Exists"}]},
        }
    ]
    affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}}
    gangs.submit("heat", 2)
    for value in "12":
        template = gangs.template("heat", affinity=affinity)
        metadata = {"name": f"p{value}", "labels": {**template["metadata"]["labels"], "x": value}}
        arena.create({"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata})

    gangs.until("heat", "Placed")

    assert len(set(gangs.nodes_of("heat"))) == 2
