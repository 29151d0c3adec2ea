"""The Gang that the operator makes for a Job: how many of its pods are placed together."""

import pytest

from lockstep.api.podgang.made_gang import made_gang, made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.pod_gang import is_as_made, parse_pod_gang
from lockstep.facts.gang.source import Source

SIZE, UNDO = "lockstep.dev/size", "lockstep.dev/undo"
TOTAL, FAST = "kueue.x-k8s.io/pod-group-total-count", "kueue.x-k8s.io/pod-group-fast-admission"


def size(spec, status=None, annotations=None):
    """The size of the Gang of a Job."""
    job = {
        "metadata": {"name": "heat", "uid": "uid-of-heat", "annotations": annotations},
        "spec": spec,
        "status": status,
    }
    return made_parts(OWNERS[Source.JOB], job)["spec"]["size"]


@pytest.mark.parametrize(
    ("spec", "status", "want"),
    [
        pytest.param({}, None, 1, id="a Job that says nothing"),
        pytest.param({"parallelism": 4}, {"active": 4}, 4, id="its pods say when all is done"),
        pytest.param({"parallelism": 4}, {"succeeded": 1, "active": 2}, 2, id="it makes no more after a success"),
        pytest.param({"parallelism": 4, "completions": 10}, None, 4, id="it has just begun"),
        pytest.param({"parallelism": 4, "completions": 3}, None, 3, id="fewer completions than run at a time"),
        pytest.param({"parallelism": 4, "completions": 10}, {"succeeded": 8}, 2, id="its last ones"),
        pytest.param({"parallelism": 4, "completions": 4}, {"succeeded": 3}, 1, id="the last one is made anew"),
        pytest.param(
            {"parallelism": 5, "completions": 5}, {"succeeded": 1, "failedIndexes": "0,2-3"}, 1, id="others have failed"
        ),
        pytest.param({"parallelism": 4, "completions": 4}, {"succeeded": 4}, 1, id="all are done"),
        pytest.param({"parallelism": 0, "completions": 4}, None, 1, id="none may run"),
    ],
)
def test_pods_of_a_job_that_are_placed_together_are_those_that_it_still_makes(spec, status, want):
    assert size(spec, status)["min"] == want


def test_range_of_a_job_begins_no_higher_than_what_it_still_makes():
    spec, says = {"parallelism": 6, "completions": 6}, {SIZE: "4-6"}

    assert size(spec, None, says) == {"min": 4, "max": 6}
    assert size(spec, {"succeeded": 4}, says) == {"min": 2, "max": 6}


def test_wish_for_bound_pods_is_no_field_of_the_gang_and_a_text_that_is_none_is_refused():
    job = {"metadata": {"name": "heat", "uid": "u", "annotations": {UNDO: "Evict"}}, "spec": {}}
    odd = {**job, "metadata": {**job["metadata"], "annotations": {UNDO: "evict"}}}

    assert "undo" not in made_parts(OWNERS[Source.JOB], job)["spec"]
    problem = made_parts(OWNERS[Source.JOB], odd)["metadata"]["annotations"]["lockstep.dev/problem"]
    assert problem == "Job: annotation lockstep.dev/undo: 'evict' is neither Keep nor Evict."


@pytest.mark.parametrize("says", ["1", "4", "many"])
def test_size_that_a_binding_has_written_to_a_single_pod_does_not_change_its_gang(says):
    pod = {"metadata": {"name": "web-0", "uid": "uid-of-web-0", "annotations": {SIZE: says}}, "spec": {}}

    assert made_parts(OWNERS[Source.SINGLE], pod)["spec"]["size"] == {"min": 1, "max": None}


def mpi_job(annotations=None, **pod_spec):
    """Describe an MPIJob whose launcher comes when its two workers run."""
    replicas = {
        "Worker": {"replicas": 2, "template": {"spec": {"schedulerName": "lockstep"}}},
        "Launcher": {"template": {"spec": pod_spec}},
    }
    about = {"name": "heat", "namespace": "default", "uid": "uid-of-heat", "annotations": annotations}
    return {
        "metadata": about,
        "spec": {"mpiReplicaSpecs": replicas, "launcherCreationPolicy": "WaitForWorkersReady"},
    }


def waiting_launcher(annotations=None, **pod_spec):
    """The spec of the Gang of such an MPIJob."""
    return made_parts(OWNERS[Source.MPI_JOB], mpi_job(annotations, **pod_spec))["spec"]


def test_pods_that_come_later_are_written_in_short():
    launcher = {
        "schedulerName": "lockstep",
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"operator": "Exists"}],
        "priorityClassName": "urgent",
        "containers": [
            {
                "image": "a",
                "resources": {"requests": {"cpu": "500m", "memory": "1Ki"}, "limits": {"example.com/gpu": "1"}},
            },
            {"image": "b", "ports": [{"hostPort": 80}], "resources": {"requests": {"cpu": 1}}},
        ],
    }

    assert waiting_launcher(**launcher)["later"] == [
        {
            "pods": 1,
            "resources": {"requests": {"cpu": "1500m", "memory": "1024", "example.com/gpu": "1"}},
            "nodeSelector": {"disk": "fast"},
            "tolerations": [{"operator": "Exists"}],
            "priorityClassName": "urgent",
        }
    ]


def test_pods_of_another_scheduler_need_no_room_of_ours():
    assert waiting_launcher(schedulerName="default-scheduler")["later"] is None


def test_range_of_sizes_leaves_open_how_many_come_later():
    assert waiting_launcher({SIZE: "1-2"}, schedulerName="lockstep")["later"] is None


def test_gang_is_as_made_with_its_later_pods():
    owner = mpi_job(schedulerName="lockstep", containers=[{"resources": {"requests": {"cpu": "1"}}}])
    parts = made_parts(OWNERS[Source.MPI_JOB], owner)
    gang = {**made_gang("mpijob.heat", owner, parts), "status": None}
    gang["metadata"] |= {"uid": "u", "resourceVersion": "1", "creationTimestamp": "2027-01-15T08:00:00Z"}

    assert is_as_made(parse_pod_gang(gang), parts)
    assert not is_as_made(parse_pod_gang(gang), {**parts, "spec": {**parts["spec"], "later": None}})


def in_all(source, spec, annotations=None):
    """How many pods must have succeeded, as the Gang of an owner says; None if it says nothing."""
    owner = {"metadata": {"name": "heat", "namespace": "default", "uid": "u", "annotations": annotations}, "spec": spec}
    return made_parts(OWNERS[source], owner)["metadata"]["annotations"]["lockstep.dev/pods-in-all"]


ONE_BY_ONE = {"parallelism": 2, "completions": 9, "template": {"spec": {"schedulerName": "lockstep"}}}
OF_OTHERS = {**ONE_BY_ONE, "template": {"spec": {"schedulerName": "default-scheduler"}}}


def set_of(*jobs, **more):
    """The spec of a JobSet with these Jobs, two of each."""
    return {"replicatedJobs": [{"name": "a", "replicas": 2, "template": {"spec": job}} for job in jobs], **more}


@pytest.mark.parametrize(
    ("source", "spec", "annotations", "want"),
    [
        pytest.param(Source.JOB, ONE_BY_ONE, {}, "9", id="a Job that makes its pods one by one"),
        pytest.param(Source.JOB, {**ONE_BY_ONE, "completions": 2}, {}, None, id="as many as it needs together"),
        pytest.param(Source.JOB, {"parallelism": 2}, {}, None, id="a Job that does not say"),
        pytest.param(Source.JOB, {**ONE_BY_ONE, "successPolicy": {"rules": []}}, {}, None, id="fewer may do"),
        pytest.param(Source.JOB, ONE_BY_ONE, {"lockstep.dev/sized": "2"}, None, id="Lockstep gives it its size"),
        pytest.param(Source.JOB_SET, set_of(ONE_BY_ONE), {}, "18", id="a JobSet"),
        pytest.param(Source.JOB_SET, set_of(ONE_BY_ONE, OF_OTHERS), {}, "18", id="beside pods of another scheduler"),
        pytest.param(Source.JOB_SET, set_of(ONE_BY_ONE, successPolicy={"operator": "All"}), {}, "18", id="all Jobs"),
        pytest.param(Source.JOB_SET, set_of(ONE_BY_ONE, successPolicy={"operator": "Any"}), {}, None, id="any Job"),
        pytest.param(Source.KUEUE_GROUP, {}, {TOTAL: "3", FAST: "true"}, "3", id="a group that begins with one pod"),
        pytest.param(Source.KUEUE_GROUP, {}, {TOTAL: "3"}, None, id="a group that begins as a whole"),
    ],
)
def test_gang_says_how_many_pods_succeed_if_it_needs_fewer_together(source, spec, annotations, want):
    assert in_all(source, spec, annotations) == want


def made_roles(source, spec, annotations=None):
    """The roles of the Gang of an owner, by name; None if it has none."""
    owner = {"metadata": {"name": "heat", "namespace": "default", "uid": "u", "annotations": annotations}, "spec": spec}
    roles = made_parts(OWNERS[source], owner)["spec"]["roles"]
    return None if roles is None else {role["name"]: role["size"]["min"] for role in roles}


def job_set(*names, parallelism=2, **more):
    """The spec of a JobSet with these Jobs."""
    jobs = [{"name": name, "template": {"spec": {"parallelism": parallelism, "template": {}}}} for name in names]
    return {"replicatedJobs": jobs, **more}


def ray_cluster(*groups):
    """The spec of a RayCluster with these groups of two workers."""
    workers = [{"groupName": name, "replicas": 2, "template": {}} for name in groups]
    return {"headGroupSpec": {"template": {}}, "workerGroupSpecs": workers}


MPI = {"mpiReplicaSpecs": {"Launcher": {"template": {}}, "Worker": {"replicas": 3, "template": {}}}}


@pytest.mark.parametrize(
    ("source", "spec", "want"),
    [
        pytest.param(Source.JOB_SET, job_set("driver", "workers"), {"driver": 2, "workers": 2}, id="Jobs of a JobSet"),
        pytest.param(Source.MPI_JOB, MPI, {"worker": 3, "launcher": 1}, id="a launcher and its workers"),
        pytest.param(Source.RAY_CLUSTER, ray_cluster("a"), {"headgroup": 1, "a": 2}, id="a head and its group"),
        pytest.param(Source.JOB_SET, job_set("workers"), None, id="one Job"),
        pytest.param(Source.JOB_SET, job_set(*"abcdefghi"), None, id="more Jobs than a Gang has roles"),
        pytest.param(Source.JOB_SET, job_set("a", "b", parallelism=9_000), None, id="more pods than a Gang has"),
        pytest.param(
            Source.JOB_SET, job_set("a", "b", startupPolicy={"startupPolicyOrder": "InOrder"}), None, id="in steps"
        ),
        pytest.param(Source.RAY_CLUSTER, ray_cluster("headgroup"), None, id="two roles of one name"),
        pytest.param(Source.RAY_CLUSTER, ray_cluster("Big_1"), None, id="a name that no role of a Gang has"),
        pytest.param(Source.JOB, {"parallelism": 2}, None, id="a Job"),
    ],
)
def test_gang_has_the_roles_of_its_owner_if_these_say_how_many_it_needs(source, spec, want):
    assert made_roles(source, spec) == want


def test_gang_has_the_role_of_the_job_that_is_left_if_the_others_are_complete():
    jobs = job_set("data", "node", parallelism=2)
    jobs["replicatedJobs"][1]["dependsOn"] = [{"name": "data", "status": "Complete"}]
    about = {"name": "heat", "namespace": "default", "uid": "u"}
    status = {"replicatedJobsStatus": [{"name": "data", "succeeded": 1}]}

    spec = made_parts(OWNERS[Source.JOB_SET], {"metadata": about, "spec": jobs, "status": status})["spec"]

    assert spec["size"]["min"] == 2
    assert spec["roles"] == [{"name": "node", "size": {"min": 2}}]


@pytest.mark.parametrize(("succeeded", "want"), [({"a": 2}, 4), ({"a": 1}, 3), ({}, 2)])
def test_size_that_counts_a_complete_job_is_no_problem_of_the_owner(succeeded, want):
    about = {"name": "heat", "namespace": "default", "uid": "u", "annotations": {SIZE: "4"}}
    status = {"replicatedJobsStatus": [{"name": "a", "succeeded": 1}]}
    owner = {"metadata": about, "spec": job_set("a", "b"), "status": status}

    parts = made_parts(OWNERS[Source.JOB_SET], owner, succeeded=succeeded)

    assert parts["metadata"]["annotations"]["lockstep.dev/problem"] is None
    assert parts["spec"]["size"] == {"min": want, "max": 4}
    assert parts["spec"]["roles"] == [{"name": "b", "size": {"min": 2}}]


def test_gang_with_a_range_has_no_roles():
    assert made_roles(Source.MPI_JOB, MPI, {SIZE: "2-4"}) is None


@pytest.mark.parametrize(("says", "want"), [("ConfigMap", "ConfigMap"), ("None", "None"), (None, None)])
def test_owner_asks_for_the_hosts_of_all(says, want):
    annotations = {} if says is None else {"lockstep.dev/hosts": says}
    owner = {"metadata": {"name": "heat", "uid": "u", "annotations": annotations}, "spec": {}}

    assert made_parts(OWNERS[Source.JOB], owner)["spec"]["hosts"] == want


def test_hosts_that_are_neither_are_a_problem_of_the_owner():
    owner = {"metadata": {"name": "heat", "uid": "u", "annotations": {"lockstep.dev/hosts": "yes"}}, "spec": {}}
    annotations = made_parts(OWNERS[Source.JOB], owner)["metadata"]["annotations"]

    assert "lockstep.dev/hosts: 'yes' is neither None nor ConfigMap" in annotations["lockstep.dev/problem"]
