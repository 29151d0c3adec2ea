"""The pods that owners make at once: how many, and of which templates.

What an owner makes in steps counts up to its first step: later pods are placed beside those. A number that an owner
leaves out is the one that its own controller takes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.api.podgang.section import Section


class FirstPods(NamedTuple):
    """So many pods of one template, 0 if all of them come later.

    The template is None where the pods are not made of one of that owner.
    """

    number: int
    template: Section | None


def of_job(job: Section) -> Sequence[FirstPods]:
    """The pods that a Job has at a time."""
    spec = job.section("spec")
    parallelism = spec.number("parallelism", otherwise=1)
    return [FirstPods(min(parallelism, spec.number("completions", otherwise=parallelism)), spec.section("template"))]


def of_job_set(job_set: Section) -> Sequence[FirstPods]:
    """The pods of all Jobs that wait for no other."""
    spec = job_set.section("spec")
    jobs = spec.sections("replicatedJobs")
    is_in_order = spec.section("startupPolicy").text("startupPolicyOrder") == "InOrder"
    return [
        FirstPods(0 if job.has("dependsOn") or (is_in_order and number) else pods.number, pods.template)
        for number, job in enumerate(jobs)
        for pods in _of_replicated_job(job)
    ]


def _of_replicated_job(job: Section) -> Sequence[FirstPods]:
    replicas = job.number("replicas", otherwise=1)
    return [FirstPods(replicas * pods.number, pods.template) for pods in of_job(job.section("template"))]


def of_leader_worker_set(leader_worker_set: Section) -> Sequence[FirstPods]:
    """The pods of one group: all, or the leader if the others wait for it."""
    spec = leader_worker_set.section("spec")
    group = spec.section("leaderWorkerTemplate")
    size, workers = group.number("size", otherwise=1), group.section("workerTemplate")
    leader = group.section("leaderTemplate") if group.has("leaderTemplate") else workers
    waits = spec.text("startupPolicy") == "LeaderReady"
    if leader is workers:
        return [FirstPods(1 if waits else size, workers)]
    return [FirstPods(1, leader), FirstPods(0 if waits else size - 1, workers)]


def groups_of_leader_worker_set(leader_worker_set: Section) -> int:
    """How many such groups there are."""
    return leader_worker_set.section("spec").number("replicas", otherwise=1)


def of_mpi_job(mpi_job: Section) -> Sequence[FirstPods]:
    """The workers, and the launcher unless it is made when they are ready."""
    spec = mpi_job.section("spec")
    replicas = spec.section("mpiReplicaSpecs")
    launcher, worker = replicas.section("Launcher"), replicas.section("Worker")
    workers = worker.number("replicas", otherwise=0)
    waits = workers > 0 and spec.text("launcherCreationPolicy") == "WaitForWorkersReady"
    return [FirstPods(workers, worker.section("template")), FirstPods(0 if waits else 1, launcher.section("template"))]


def of_pod_group(group: Section) -> Sequence[FirstPods]:
    """As many pods as the group needs. Others make them."""
    return [FirstPods(group.section("spec").number("minMember", otherwise=1), None)]


def of_ray_cluster(cluster: Section) -> Sequence[FirstPods]:
    """The head and its workers; with Ray's autoscaler, the fewest of these."""
    spec = cluster.section("spec")
    replicas = "minReplicas" if spec.has("enableInTreeAutoscaling") else "replicas"
    groups = [group for group in spec.sections("workerGroupSpecs") if not group.has("suspend")]
    workers = [
        FirstPods(
            group.number(replicas, otherwise=0) * (group.number("numOfHosts", otherwise=1) or 1),
            group.section("template"),
        )
        for group in groups
    ]
    return [FirstPods(1, spec.section("headGroupSpec").section("template")), *workers]


def of_single_pod(pod: Section) -> Sequence[FirstPods]:
    """A pod is the owner of its own Gang."""
    return [FirstPods(1, pod)]
