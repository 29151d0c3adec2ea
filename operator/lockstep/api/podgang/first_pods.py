"""The pods that owners make at once: how many, and of which templates.

What an owner makes in steps counts up to its first step: later pods are placed beside those. A number that an owner
leaves out is the one that its own controller takes.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.api.podgang.kueue import admitted_pods
from lockstep.api.podgang.kueue_group import group_terms
from lockstep.api.podgang.section import Section
from lockstep.facts.ranks import MOST_RANKS

HEAD_GROUP = "headgroup"
"""What KubeRay calls the group of a RayCluster's head."""


class FirstPods(NamedTuple):
    """So many pods of one template come at first, 0 if all of them come later; ``later`` come while those run.

    The template is None where the pods are not made of one of that owner. ``role`` is what these pods call their role
    in a label; '' if they have none.
    """

    number: int
    template: Section | None
    later: int = 0
    role: str = ""


def _pods(number: int, template: Section | None, *, waits: bool, role: str = "") -> FirstPods:
    first, later = (0, number) if waits else (number, 0)
    return FirstPods(first, template, later, role)


def of_job(job: Section) -> Sequence[FirstPods]:
    """The pods that a Job has at a time."""
    spec = job.section("spec")
    parallelism = spec.number("parallelism", otherwise=1)
    return [FirstPods(min(parallelism, spec.number("completions", otherwise=parallelism)), spec.section("template"))]


def of_job_set(job_set: Section) -> Sequence[FirstPods]:
    """The pods of all Jobs that wait for no other, and those that come while they run.

    A Job that waits until another is complete takes over the room of that one, so its pods are none of these. Nor are
    those of Jobs that wait for it.
    """
    spec = job_set.section("spec")
    is_in_order = spec.section("startupPolicy").text("startupPolicyOrder") == "InOrder"
    found, is_over = list[FirstPods](), False
    for job in spec.sections("replicatedJobs"):
        awaited = [one.text("status") for one in job.sections("dependsOn")]
        is_over = is_over or "Complete" in awaited
        waits = bool(awaited) or (is_in_order and bool(found))
        found.append(_of_replicated_job(job, waits=waits, is_over=is_over))
    return found


def _of_replicated_job(job: Section, *, waits: bool, is_over: bool) -> FirstPods:
    [pods] = of_job(job.section("template"))
    if waits and is_over:
        return FirstPods(0, pods.template)
    number = job.number("replicas", otherwise=1) * pods.number
    return _pods(number, pods.template, waits=waits, role=job.text("name"))


def of_leader_worker_set(leader_worker_set: Section) -> Sequence[FirstPods]:
    """The pods of one group: all, or the leader if the others wait for it."""
    spec = leader_worker_set.section("spec")
    group = spec.section("leaderWorkerTemplate")
    size, workers = group.number("size", otherwise=1), group.section("workerTemplate")
    leader = group.section("leaderTemplate") if group.has("leaderTemplate") else workers
    waits = spec.text("startupPolicy") == "LeaderReady"
    if leader is workers:
        return [FirstPods(1, workers, later=size - 1) if waits else FirstPods(size, workers)]
    return [FirstPods(1, leader), _pods(size - 1, workers, waits=waits)]


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
    return [
        FirstPods(workers, worker.section("template"), role="worker"),
        _pods(1, launcher.section("template"), waits=waits, role="launcher"),
    ]


def of_kueue_group(pod: Section) -> Sequence[FirstPods]:
    """As many pods as one of them says, or one if it says no number that makes sense."""
    metadata = pod.section("metadata")
    terms = group_terms(metadata.texts("annotations"))
    return [FirstPods(terms.fewest or 1, Section(pod.fields, f"pod {metadata.text('name')}"))]


def of_workload(workload: Section) -> Sequence[FirstPods]:
    """The pods that have quota, and name Lockstep as their scheduler."""
    return [FirstPods(one.number, one.template) for one in admitted_pods(workload.fields)]


def of_pod_group(group: Section) -> Sequence[FirstPods]:
    """As many pods as the group needs. Others make them."""
    return [FirstPods(group.section("spec").number("minMember", otherwise=1), None)]


def of_ray_cluster(cluster: Section) -> Sequence[FirstPods]:
    """The head and its workers; with Ray's autoscaler, the fewest of these."""
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
    """How many pods a replica of a group of workers has."""
    return group.number("numOfHosts", otherwise=1) or 1


def replicas_of(group: Section) -> int:
    """The replicas that KubeRay makes of a group: it obeys the bounds of the group, whatever its ``replicas`` are."""
    fewest, most = group.number("minReplicas", otherwise=0), group.number("maxReplicas", otherwise=MOST_RANKS)
    return min(max(group.number("replicas", otherwise=0), fewest), max(most, fewest))


def of_single_pod(pod: Section) -> Sequence[FirstPods]:
    """A pod is the owner of its own Gang."""
    return [FirstPods(1, pod)]
