"""Gangs of a file: which they are, how many pods of them would wait, and what has to change."""

import pytest
import yaml

from builders.jobs import jobset, replicated
from builders.owners import (
    bare_pod,
    job_of,
    leader_worker_set,
    mpi_job,
    owner,
    pod_gang_manifest,
    pod_group,
    ray_cluster,
    scheduling_group,
    template,
)
from builders.supposed import EVERY, GROUP_LABEL, KUEUE_LABEL, LABEL, NOW, ask, facts, group_of_kueue, sizes
from coschedule import SerialWork
from live.examples import EXAMPLES, OF_CONTROLLERS
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.manifests import read_manifests
from lockstep.answers.supposing.owner_kinds import GANG_JOB, TAKEN
from lockstep.answers.supposing.supposed_gangs import supposed
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.source import Source

GROUPED = {"schedulingGroup": {"podGroupName": "heat"}}
MEMBER = template(labels={LABEL: "heat"})
KINDS_WITH_PODS = {one.kind for one in TAKEN} - {GANG_JOB.kind}
WITH_PODS = [
    example
    for example in EXAMPLES
    if KINDS_WITH_PODS & {one["kind"] for one in yaml.load_all(example.read_text(), Loader=yaml.CSafeLoader)}
]
FOR_CONTROLLERS = sorted(OF_CONTROLLERS.glob("*.yaml"))


def queued_job():
    """Describe a Job in a queue of Kueue that waits for a size."""
    job = job_of(parallelism=1, suspend=True, annotations={"lockstep.dev/size": "2-6"})
    return {**job, "metadata": {**job["metadata"], "labels": {"kueue.x-k8s.io/queue-name": "team"}}}


def jobset_of(*parallelisms, **spec):
    jobs = [
        replicated(f"job{number}", parallelism=one, template=template(cpu=str(number + 1)), pod=template()["spec"])
        for number, one in enumerate(parallelisms)
    ]
    return jobset(*jobs, **spec)


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        pytest.param([job_of(parallelism=4)], {"job.heat": [(4, 4)]}, id="a Job"),
        pytest.param(
            [job_of(parallelism=4, annotations={"lockstep.dev/size": "2-3"})], {"job.heat": [(2, 3)]}, id="a range"
        ),
        pytest.param(
            [job_of(parallelism=1, suspend=True, annotations={"lockstep.dev/size": "2-6"})],
            {"job.heat": [(2, 6)]},
            id="a Job that waits for a size",
        ),
        pytest.param([queued_job()], {"job.heat": [(2, 6)]}, id="a Job that waits for a size in a queue of Kueue"),
        pytest.param([bare_pod("a")], {"single.a": [(1, 1)]}, id="a pod of no Gang"),
        pytest.param(
            [owner("apps/v1", "Deployment", replicas=2, template=template())],
            {"single.heat-0": [(1, 1)], "single.heat-1": [(1, 1)]},
            id="a Deployment of no Gang",
        ),
        pytest.param(
            [owner("v1", "ReplicationController", replicas=1, template=template())],
            {"single.heat-0": [(1, 1)]},
            id="a ReplicationController of no Gang",
        ),
        pytest.param([jobset_of(1, 3)], {"jobset.train": [(1, 1), (3, 3)]}, id="a JobSet whose Jobs ask for the same"),
        pytest.param(
            [jobset_of(1, 3, startupPolicy={"startupPolicyOrder": "InOrder"})],
            {"jobset.train": [(1, 1), (3, 3)]},
            id="a JobSet in order, with room for the second step",
        ),
        pytest.param(
            [leader_worker_set(replicas=2)],
            {f"leaderworkerset.heat.{group}": [(1, 1), (2, 2)] for group in range(2)},
            id="a LeaderWorkerSet of two groups",
        ),
        pytest.param([mpi_job()], {"mpijob.heat": [(1, 1), (3, 3)]}, id="an MPIJob"),
        pytest.param([ray_cluster()], {"raycluster.heat": [(1, 1), (2, 2)]}, id="a RayCluster"),
        pytest.param(
            [pod_group(2), *(bare_pod(name, labels={GROUP_LABEL: "heat"}) for name in "abc")],
            {"podgroup.heat": [(2, 3)]},
            id="a PodGroup with pods",
        ),
        pytest.param([*group_of_kueue(3, "abc")], {"kueuegroup.heat": [(3, 3)]}, id="pods of a group of Kueue"),
        pytest.param(
            [job_of(template(labels={KUEUE_LABEL: "heat"}), parallelism=4)],
            {"job.heat": [(4, 4)]},
            id="a Job whose pods name a group of Kueue",
        ),
        pytest.param(
            [job_of(template(labels={GROUP_LABEL: "heat"}), parallelism=4), pod_group(3)],
            {"podgroup.heat": [(3, 4)]},
            id="a PodGroup with a Job",
        ),
        *(
            pytest.param(
                [scheduling_group(2, version=version), *(bare_pod(name, **GROUPED) for name in "abc")],
                {"schedulinggroup.heat": [(2, 3)]},
                id=f"a PodGroup of Kubernetes' own, {version}",
            )
            for version in ("v1alpha2", "v1alpha3", "v1beta1")
        ),
        pytest.param(
            [job_of(template(**GROUPED), parallelism=4), scheduling_group(3)],
            {"schedulinggroup.heat": [(3, 4)]},
            id="such a PodGroup with a Job",
        ),
        pytest.param(
            [pod_gang_manifest(2), *(bare_pod(name, labels={LABEL: "heat"}) for name in "ab")],
            {"heat": [(2, 2)]},
            id="a Gang with pods",
        ),
        pytest.param(
            [job_of(MEMBER, parallelism=3, name="one"), pod_gang_manifest(4), job_of(MEMBER, name="two")],
            {"heat": [(4, 4)]},
            id="a Gang with two Jobs",
        ),
        pytest.param(
            [
                pod_gang_manifest(2),
                owner("apps/v1", "StatefulSet", replicas=3, podManagementPolicy="Parallel", template=MEMBER),
            ],
            {"heat": [(2, 3)]},
            id="a Gang with a StatefulSet",
        ),
        pytest.param(
            [pod_gang_manifest(2), owner("apps/v1", "Deployment", replicas=2, template=MEMBER)],
            {"heat": [(2, 2)]},
            id="a Gang with a Deployment",
        ),
        pytest.param(
            [pod_gang_manifest(2, name="job.heat"), job_of(parallelism=4)],
            {"job.heat": [(2, 4)]},
            id="a Gang that a user has written in the place of the operator's",
        ),
    ],
)
def test_pods_that_are_made_at_once_are_planned_as_the_operator_would(objects, want):
    assert sizes(*objects) == want


def test_work_of_an_annotation_counts():
    says = {"lockstep.dev/serial-time": "90m", "lockstep.dev/overhead-per-member": "2s"}

    [heat] = facts(job_of(parallelism=2, annotations=says)).values()

    assert heat.spec.work == SerialWork(serial=5400, per_member=2)


def test_gangs_of_other_namespaces_are_other_gangs():
    there = job_of(parallelism=2)
    there["metadata"]["namespace"] = "there"

    assert [gang.key.namespace for gang in ask(job_of(), there).gangs] == ["team", "there"]


@pytest.mark.parametrize("example", [*WITH_PODS, *FOR_CONTROLLERS], ids=lambda example: example.stem)
def test_example_with_pods_is_taken_as_it_is(example):
    asked = supposed(read_manifests(example.read_text(encoding="utf-8"), namespace="team"), EVERY, NOW)

    assert asked.gangs
    assert not asked.notes
    assert all(suppose_alone(gang, NOW) for gang in asked.gangs)


def test_there_are_examples_with_pods():
    assert len(WITH_PODS) >= 3


# What is said


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        pytest.param(
            [job_of({"spec": {**template()["spec"], "schedulerName": None}})],
            "Job heat: spec.template.spec.schedulerName is missing. Write lockstep: this plan assumes that the field "
            "has this value.",
            id="without the line",
        ),
        pytest.param(
            [mpi_job(), job_of(template() | {"spec": template()["spec"] | {"schedulerName": "volcano"}})],
            "Job heat: spec.template.spec.schedulerName is volcano. Write lockstep: this plan assumes that the field "
            "has this value.",
            id="another scheduler",
        ),
        pytest.param(
            [job_of(suspend=True)], "Job heat is suspended. This plan assumes that it is not.", id="a suspended Job"
        ),
        pytest.param(
            [mpi_job(runPolicy={"suspend": True})],
            "MPIJob heat is suspended. This plan assumes that it is not.",
            id="a suspended MPIJob",
        ),
    ],
)
def test_what_has_to_change_is_said_and_the_plan_is_made(objects, want):
    asked = ask(*objects)

    assert asked.notes == (want,)
    assert all(suppose_alone(gang, NOW) for gang in asked.gangs)


def test_objects_without_pods_are_left_out_and_named_except_for_config_maps():
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "heat"}, "spec": {"clusterIP": "None"}}
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "heat"}, "data": {}}

    asked = ask(service, config_map, job_of())

    assert [object_name(gang.key) for gang in asked.gangs] == ["job.heat"]
    assert asked.notes == ("This plan leaves out Service heat, which has no pods. Apply it first if it matters.",)


def test_source_that_the_operator_lacks_is_named():
    asked = ask(job_of(), sources={Source.PODS})

    [note] = asked.notes
    assert note.startswith("team/gang/job.heat needs the source job")


def test_first_of_the_sources_that_the_operator_has_counts():
    in_group = job_of(template(labels={GROUP_LABEL: "group"}))

    [by_group] = ask(in_group).gangs
    [by_job] = ask(in_group, sources={Source.JOB}).gangs

    assert [object_name(one.key) for one in (by_group, by_job)] == ["podgroup.group", "job.heat"]
