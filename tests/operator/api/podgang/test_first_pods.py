"""The pods that owners make at once: how many, of which templates, and which field makes no sense."""

import pytest

from builders.jobs import job, jobset, replicated
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.section import FieldError, Section
from lockstep.facts.gang.source import Source

LEADER, WORKER = {"metadata": {"labels": {"of": "leader"}}}, {"metadata": {"labels": {"of": "worker"}}}
GROUP = {"size": 4, "leaderTemplate": LEADER, "workerTemplate": WORKER}
MPI = {"Launcher": {"template": LEADER}, "Worker": {"replicas": 3, "template": WORKER}}
RAY = {"headGroupSpec": {"template": LEADER}, "workerGroupSpecs": [{"replicas": 2, "numOfHosts": 2, "minReplicas": 1}]}


def until(name, status):
    """Describe until when a Job of a JobSet waits for another one."""
    return {"name": name, "status": status}


IN_STEPS = [replicated("first", parallelism=2), replicated("second", replicas=2, parallelism=3)]
TEMPLATE_OF_FIRST = "spec.replicatedJobs[0].template.spec.template"
RAY_WORKERS = "spec.workerGroupSpecs[0].template"


def ray(**group):
    """Describe the spec of a RayCluster with that group of workers."""
    return {"headGroupSpec": {"template": LEADER}, "workerGroupSpecs": [group]}


def first(source, owner):
    """The number of pods by the path of their template."""
    return {pods.template.path: pods.number for pods in OWNERS[source].first(Section(owner))}


@pytest.mark.parametrize(
    ("source", "owner", "want"),
    [
        pytest.param(Source.JOB, job(), {"spec.template": 1}, id="a Job that says nothing"),
        pytest.param(Source.JOB, job(parallelism=4, completions=3), {"spec.template": 3}, id="fewer completions"),
        pytest.param(
            Source.JOB_SET,
            jobset(*IN_STEPS),
            {TEMPLATE_OF_FIRST: 2, TEMPLATE_OF_FIRST.replace("0", "1"): 6},
            id="a JobSet of two Jobs",
        ),
        pytest.param(
            Source.JOB_SET,
            jobset(*IN_STEPS, startupPolicy={"startupPolicyOrder": "InOrder"}),
            {TEMPLATE_OF_FIRST: 2, TEMPLATE_OF_FIRST.replace("0", "1"): 0},
            id="a JobSet in order",
        ),
        pytest.param(
            Source.JOB_SET,
            jobset(IN_STEPS[0], replicated("second", depends_on=[until("first", "Ready")])),
            {TEMPLATE_OF_FIRST: 2, TEMPLATE_OF_FIRST.replace("0", "1"): 0},
            id="a JobSet of which one Job waits for the other",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            {"spec": {"leaderWorkerTemplate": GROUP}},
            {"spec.leaderWorkerTemplate.leaderTemplate": 1, "spec.leaderWorkerTemplate.workerTemplate": 3},
            id="a leader and its workers",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            {"spec": {"leaderWorkerTemplate": {"size": 4, "workerTemplate": WORKER}}},
            {"spec.leaderWorkerTemplate.workerTemplate": 4},
            id="a leader like its workers",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            {"spec": {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": GROUP}},
            {"spec.leaderWorkerTemplate.leaderTemplate": 1, "spec.leaderWorkerTemplate.workerTemplate": 0},
            id="the leader alone",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            {
                "spec": {
                    "startupPolicy": "LeaderReady",
                    "leaderWorkerTemplate": {"size": 4, "workerTemplate": WORKER},
                }
            },
            {"spec.leaderWorkerTemplate.workerTemplate": 1},
            id="a leader like its workers, and alone",
        ),
        pytest.param(
            Source.MPI_JOB,
            {"spec": {"mpiReplicaSpecs": MPI}},
            {"spec.mpiReplicaSpecs.Worker.template": 3, "spec.mpiReplicaSpecs.Launcher.template": 1},
            id="a launcher and its workers",
        ),
        pytest.param(
            Source.MPI_JOB,
            {"spec": {"mpiReplicaSpecs": MPI, "launcherCreationPolicy": "WaitForWorkersReady"}},
            {"spec.mpiReplicaSpecs.Worker.template": 3, "spec.mpiReplicaSpecs.Launcher.template": 0},
            id="a launcher that waits",
        ),
        pytest.param(
            Source.RAY_CLUSTER, {"spec": RAY}, {"spec.headGroupSpec.template": 1, RAY_WORKERS: 4}, id="a head and hosts"
        ),
        pytest.param(
            Source.RAY_CLUSTER,
            {"spec": {**RAY, "enableInTreeAutoscaling": True}},
            {"spec.headGroupSpec.template": 1, RAY_WORKERS: 2},
            id="Ray's autoscaler",
        ),
        pytest.param(
            Source.RAY_CLUSTER,
            {"spec": ray(replicas=5, maxReplicas=3)},
            {"spec.headGroupSpec.template": 1, RAY_WORKERS: 3},
            id="more replicas than a group may have",
        ),
        pytest.param(
            Source.RAY_CLUSTER,
            {"spec": ray(replicas=1, minReplicas=2, maxReplicas=9)},
            {"spec.headGroupSpec.template": 1, RAY_WORKERS: 2},
            id="fewer replicas than a group has to have",
        ),
    ],
)
def test_pods_that_an_owner_makes_at_once_are_those_of_its_first_step(source, owner, want):
    assert first(source, owner) == want
    assert OWNERS[source].expected(owner) == sum(want.values())


@pytest.mark.parametrize(
    ("source", "owner", "want"),
    [
        pytest.param(
            Source.JOB_SET, jobset(*IN_STEPS, startupPolicy={"startupPolicyOrder": "InOrder"}), [0, 6], id="in order"
        ),
        pytest.param(
            Source.JOB_SET,
            jobset(IN_STEPS[0], replicated("second", parallelism=5, depends_on=[until("first", "Ready")])),
            [0, 5],
            id="once it runs",
        ),
        pytest.param(
            Source.JOB_SET,
            jobset(
                IN_STEPS[0],
                replicated("second", depends_on=[until("first", "Complete")]),
                replicated("third", depends_on=[until("second", "Ready")]),
            ),
            [0, 0, 0],
            id="once it is complete",
        ),
        pytest.param(
            Source.JOB_SET,
            jobset(
                IN_STEPS[0],
                replicated("second", depends_on=[until("first", "Complete")]),
                replicated("third", parallelism=4, depends_on=[until("first", "Ready")]),
                replicated("fourth", parallelism=5, depends_on=[until("third", "Ready")]),
                IN_STEPS[1] | {"name": "fifth"},
            ),
            [0, 0, 4, 5, 0],
            id="once it runs, after a Job that waits until it is complete",
        ),
        pytest.param(
            Source.JOB_SET,
            jobset(
                *IN_STEPS,
                replicated("third", depends_on=[until("first", "Ready"), until("second", "Complete")]),
                replicated("fourth", depends_on=[until("first", "Ready"), until("third", "Ready")]),
                replicated("fifth", parallelism=4, depends_on=[until("second", "Ready"), until("first", "Ready")]),
            ),
            [0, 0, 0, 0, 4],
            id="once several Jobs are so far",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            {"spec": {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": GROUP}},
            [0, 3],
            id="workers",
        ),
        pytest.param(
            Source.LEADER_WORKER_SET,
            {"spec": {"startupPolicy": "LeaderReady", "leaderWorkerTemplate": {"size": 4, "workerTemplate": WORKER}}},
            [3],
            id="workers like their leader",
        ),
        pytest.param(
            Source.MPI_JOB,
            {"spec": {"mpiReplicaSpecs": MPI, "launcherCreationPolicy": "WaitForWorkersReady"}},
            [0, 1],
            id="a launcher",
        ),
    ],
)
def test_pods_that_come_while_the_first_run_are_counted(source, owner, want):
    assert [pods.later for pods in OWNERS[source].first(Section(owner))] == want


def so_far(**succeeded):
    """Describe the status of a JobSet by the number of its Jobs that have succeeded."""
    return {"replicatedJobsStatus": [{"name": name, "succeeded": number} for name, number in succeeded.items()]}


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({}, [(2, 0), (0, 0), (0, 0)], id="it has begun"),
        pytest.param(so_far(first=0, second=0), [(2, 0), (0, 0), (0, 0)], id="no Job is complete"),
        pytest.param(so_far(first=1), [(0, 0), (6, 0), (0, 4)], id="the first Job is complete"),
        pytest.param(so_far(first=1, second=1), [(0, 0), (6, 0), (0, 4)], id="a part of the second, too"),
        pytest.param(so_far(first=1, second=2), [(0, 0), (0, 0), (4, 0)], id="the second Job is complete"),
    ],
)
def test_no_job_waits_for_jobs_that_are_complete(status, want):
    steps = [
        IN_STEPS[0],
        replicated("second", replicas=2, parallelism=3, depends_on=[until("first", "Complete")]),
        replicated("third", parallelism=4, depends_on=[until("second", "Ready")]),
    ]
    owner = {**jobset(*steps), "status": status}

    assert [(pods.number, pods.later) for pods in OWNERS[Source.JOB_SET].first(Section(owner))] == want


def test_jobs_in_order_do_not_wait_for_complete_ones():
    owner = jobset(*IN_STEPS, startupPolicy={"startupPolicyOrder": "InOrder"})

    first, second = OWNERS[Source.JOB_SET].first(Section({**owner, "status": so_far(first=1)}))

    assert (first.done, second.number, second.later) == (True, 6, 0)


def test_pods_of_a_pod_group_are_made_by_others():
    [pods] = OWNERS[Source.POD_GROUP].first(Section({"spec": {"minMember": 3}}))

    assert pods == (3, None, 0, "", False)


@pytest.mark.parametrize(
    ("owner", "want"),
    [
        pytest.param({"spec": 3}, "spec is not an object", id="words for an object"),
        pytest.param({"spec": {"parallelism": "four"}}, "spec.parallelism is not a whole number", id="a word"),
        pytest.param({"spec": {"parallelism": True}}, "spec.parallelism is not a whole number", id="a truth"),
        pytest.param(
            {"spec": {"completions": -1}}, "spec.completions is not a whole number of 0 or more", id="negative"
        ),
    ],
)
def test_field_that_makes_no_sense_is_named(owner, want):
    with pytest.raises(FieldError) as caught:
        OWNERS[Source.JOB].first(Section(owner))

    assert want in str(caught.value)


def test_entry_of_a_list_is_named_by_its_number():
    with pytest.raises(FieldError, match=r"spec\.replicatedJobs\[1\]\.replicas is not a whole number"):
        first(Source.JOB_SET, jobset(IN_STEPS[0], {**IN_STEPS[1], "replicas": [2]}))

    with pytest.raises(FieldError, match=r"spec\.replicatedJobs is not a list"):
        first(Source.JOB_SET, {"spec": {"replicatedJobs": {}}})
