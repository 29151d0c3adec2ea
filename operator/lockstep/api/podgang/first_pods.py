"""The pods that owners make at first: their number, and their templates.

If an owner makes pods in steps, only its first step counts. Later pods are placed while the first ones run. If an owner
leaves a number out, the default of its own controller counts.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.podgang.kueue import admitted_pods
from lockstep.api.podgang.kueue_group import group_terms
from lockstep.api.podgang.section import Section
from lockstep.facts.ranks import MOST_RANKS

HEAD_GROUP = "headgroup"
"""KubeRay's name for the group of a RayCluster's head."""


class FirstPods(NamedTuple):
    """``number`` pods of one template are made at first, and ``later`` pods are made while the first pods run.

    If all pods come later, ``number`` is 0. ``template`` is None if the pods are not made from a template of the owner.
    ``role`` is the role in a label of these pods; '' if they have none. If they have ended for good, they are ``done``.
    """

    number: int
    template: Section | None
    later: int = 0
    role: str = ""
    done: bool = False


def _pods(number: int, template: Section | None, *, waits: bool, role: str = "") -> FirstPods:
    first, later = (0, number) if waits else (number, 0)
    return FirstPods(first, template, later, role)


def of_job(job: Section) -> Sequence[FirstPods]:
    """The pods that a Job has at the same time."""
    spec = job.section("spec")
    parallelism = spec.number("parallelism", otherwise=1)
    return [FirstPods(min(parallelism, spec.number("completions", otherwise=parallelism)), spec.section("template"))]


def of_job_set(job_set: Section) -> Sequence[FirstPods]:
    """The pods of each Job of a JobSet. If the Job waits for another Job, its pods are made later.

    A Job that waits until another Job is complete gets the nodes of that Job. So its pods are not counted, neither as
    first nor as later pods. The same holds for Jobs that wait for it. No Job waits any more for a complete Job.
    """
    spec, complete = job_set.section("spec"), _complete_jobs(job_set)
    is_in_order = spec.section("startupPolicy").text("startupPolicyOrder") == "InOrder"
    found, after_others = list[FirstPods](), set[str]()
    for job in spec.sections("replicatedJobs"):
        # Jobs may wait only for Jobs that the list has before them.
        awaited = [one for one in job.sections("dependsOn") if one.text("name") not in complete]
        gets_nodes = any(one.text("status") == "Complete" or one.text("name") in after_others for one in awaited)
        if gets_nodes:
            after_others.add(job.text("name"))
        waits = bool(awaited) or (is_in_order and any(not pods.done for pods in found))
        pods = _of_replicated_job(job, waits=waits, gets_nodes=gets_nodes)
        name = job.text("name")
        found.append(FirstPods(0, pods.template, role=name, done=True) if name in complete else pods)
    return found


def _complete_jobs(job_set: Section) -> set[str]:
    """The names of the JobSet's Jobs of which all replicas have succeeded."""
    replicas = {
        one.text("name"): one.number("replicas", otherwise=1)
        for one in job_set.section("spec").sections("replicatedJobs")
    }
    counts = job_set.section("status").sections("replicatedJobsStatus")
    succeeded = {one.text("name"): one.number("succeeded", otherwise=0) for one in counts}
    return {name for name, number in replicas.items() if 0 < number <= succeeded.get(name, 0)}


def _of_replicated_job(job: Section, *, waits: bool, gets_nodes: bool) -> FirstPods:
    [pods] = of_job(job.section("template"))
    if gets_nodes:
        return FirstPods(0, pods.template)
    number = job.number("replicas", otherwise=1) * pods.number
    return _pods(number, pods.template, waits=waits, role=job.text("name"))


def all_of_job(job: Section) -> int:
    """How many pods of a Job have succeeded once it is complete; 0 if unknown, or if it has a success policy."""
    spec = job.section("spec")
    return 0 if spec.has("successPolicy") else spec.number("completions", otherwise=0)


def all_of_job_set(job_set: Section) -> int:
    """How many of a JobSet's pods have succeeded once it is complete; 0 if some of its Jobs need not succeed.

    Only pods whose scheduler is Lockstep are counted.
    """
    spec = job_set.section("spec")
    policy = spec.section("successPolicy")
    if policy.text("operator") == "Any" or policy.has("targetReplicatedJobs"):
        return 0
    return sum(_all_of_replicated_job(job) for job in spec.sections("replicatedJobs"))


def _all_of_replicated_job(job: Section) -> int:
    template = job.section("template")
    [pods] = of_job(template)
    is_ours = pods.template is not None and pods.template.section("spec").text("schedulerName") == SCHEDULER_NAME
    return job.number("replicas", otherwise=1) * (all_of_job(template) or pods.number) if is_ours else 0


def of_leader_worker_set(leader_worker_set: Section) -> Sequence[FirstPods]:
    """The pods of one group. If the workers wait for the leader, they come later."""
    spec = leader_worker_set.section("spec")
    group = spec.section("leaderWorkerTemplate")
    size, workers = group.number("size", otherwise=1), group.section("workerTemplate")
    leader = group.section("leaderTemplate") if group.has("leaderTemplate") else workers
    waits = spec.text("startupPolicy") == "LeaderReady"
    if leader is workers:
        return [FirstPods(1, workers, later=size - 1) if waits else FirstPods(size, workers)]
    return [FirstPods(1, leader), _pods(size - 1, workers, waits=waits)]


def groups_of_leader_worker_set(leader_worker_set: Section) -> int:
    """The number of groups."""
    return leader_worker_set.section("spec").number("replicas", otherwise=1)


def of_mpi_job(mpi_job: Section) -> Sequence[FirstPods]:
    """The pods of the workers and the launcher. If the launcher waits until the workers are ready, it comes later."""
    spec = mpi_job.section("spec")
    replicas = spec.section("mpiReplicaSpecs")
    launcher, worker = replicas.section("Launcher"), replicas.section("Worker")
    workers = worker.number("replicas", otherwise=0)
    waits = workers > 0 and spec.text("launcherCreationPolicy") == "WaitForWorkersReady"
    return [
        FirstPods(workers, worker.section("template"), role="worker"),
        _pods(1, launcher.section("template"), waits=waits, role="launcher"),
    ]


def of_kueue_group(pod: Section) -> Sequence[FirstPods]:
    """The pods of a Kueue group that must be placed together. ``pod``, a pod of the group, states their number.

    The number is 1 if it is missing or invalid, or if the group has fast admission.
    """
    metadata = pod.section("metadata")
    terms = group_terms(metadata.texts("annotations"))
    return [FirstPods(terms.fewest or 1, Section(pod.fields, f"pod {metadata.text('name')}"))]


def all_of_kueue_group(pod: Section) -> int:
    """The number of all pods of a Kueue group; 0 if it is missing or invalid."""
    return group_terms(pod.section("metadata").texts("annotations")).total


def of_workload(workload: Section) -> Sequence[FirstPods]:
    """The pods of a Workload, as in :func:`admitted_pods`."""
    return [FirstPods(one.number, one.template) for one in admitted_pods(workload.fields)]


def of_pod_group(group: Section) -> Sequence[FirstPods]:
    """The pods that the group needs. Other controllers make them."""
    return [FirstPods(group.section("spec").number("minMember", otherwise=1), None)]


def of_ray_cluster(cluster: Section) -> Sequence[FirstPods]:
    """The head and its workers. With Ray's autoscaler, each group has its least number of workers."""
    spec = cluster.section("spec")
    is_scaled = spec.has("enableInTreeAutoscaling")
    groups = [group for group in spec.sections("workerGroupSpecs") if not group.has("suspend")]
    workers = [_of_ray_group(group, is_scaled=is_scaled) for group in groups]
    return [FirstPods(1, spec.section("headGroupSpec").section("template"), role=HEAD_GROUP), *workers]


def _of_ray_group(group: Section, *, is_scaled: bool) -> FirstPods:
    replicas = group.number("minReplicas", otherwise=0) if is_scaled else replicas_of(group)
    number = replicas * hosts_of(group)
    return FirstPods(number, group.section("template"), role=group.text("groupName"))


def hosts_of(group: Section) -> int:
    """The number of pods of each replica in a group of workers."""
    return group.number("numOfHosts", otherwise=1) or 1


def replicas_of(group: Section) -> int:
    """The replicas that KubeRay makes of a group. KubeRay limits ``replicas`` to the bounds of the group."""
    fewest, most = group.number("minReplicas", otherwise=0), group.number("maxReplicas", otherwise=MOST_RANKS)
    return min(max(group.number("replicas", otherwise=0), fewest), max(most, fewest))


def of_single_pod(pod: Section) -> Sequence[FirstPods]:
    """The pod itself, which is the owner of its own Gang."""
    return [FirstPods(1, pod)]
