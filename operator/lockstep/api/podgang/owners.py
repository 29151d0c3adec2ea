"""The owners of pods for which the operator makes Gangs: where each is in the API, and how many pods it makes.

What an owner makes in steps counts up to its first step: later pods are placed beside those. A number that an owner
leaves out is the one that its own controller takes.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from lockstep.api.client.answer import Target
from lockstep.api.manifest import Manifest
from lockstep.facts.gang.source import Source
from lockstep.facts.ranks import MOST_RANKS, parse_ranks


class OwnerKind(NamedTuple):
    """A kind of owners. ``expected`` returns how many pods of one owner are to be placed together.

    An owner that ``has_groups`` makes several Gangs: the number of the group stands behind its name. ``left`` returns
    how many pods it still makes at most, when others of its pods have ended.
    """

    api_version: str
    kind: str
    plural: str
    expected: Callable[[Manifest], int]
    has_groups: bool = False
    left: Callable[[Manifest], int] = lambda _: MOST_RANKS

    def target(self, namespace: str, named: str) -> Target:
        """The owner for which a Gang is made, as the Gang's name says without its source."""
        name = named.rpartition(".")[0] if self.has_groups else named
        return Target(f"/apis/{self.api_version}/namespaces/{namespace}/{self.plural}/{name}", self.plural)


def _of_job(job: Manifest) -> int:
    spec = job["spec"]
    parallelism, completions = spec.get("parallelism", 1), spec.get("completions")
    return int(parallelism if completions is None else min(parallelism, completions))


def _left_of_job(job: Manifest) -> int:
    """Its completions but for those that have succeeded, or have failed for good."""
    completions, status = job["spec"].get("completions"), job.get("status") or {}
    if completions is None:
        return MOST_RANKS
    failed = parse_ranks(status.get("failedIndexes") or "").bit_count()
    return int(completions) - int(status.get("succeeded") or 0) - failed


def _of_job_set(job_set: Manifest) -> int:
    spec = job_set["spec"]
    jobs = spec.get("replicatedJobs") or []
    if (spec.get("startupPolicy") or {}).get("startupPolicyOrder") == "InOrder":
        jobs = jobs[:1]
    first = [job for job in jobs if not job.get("dependsOn")]
    return sum(int(job.get("replicas", 1)) * _of_job(job["template"]) for job in first)


def _of_leader_worker_set(leader_worker_set: Manifest) -> int:
    spec = leader_worker_set["spec"]
    has_leader_first = spec.get("startupPolicy") == "LeaderReady"
    return 1 if has_leader_first else int(spec["leaderWorkerTemplate"].get("size", 1))


def _of_mpi_job(mpi_job: Manifest) -> int:
    """The workers, and the launcher unless it is made when they are ready."""
    spec = mpi_job["spec"]
    replicas = spec.get("mpiReplicaSpecs") or {}
    workers = int((replicas.get("Worker") or {}).get("replicas", 0))
    return workers + (0 if workers and spec.get("launcherCreationPolicy") == "WaitForWorkersReady" else 1)


def _of_pod_group(group: Manifest) -> int:
    return int(group["spec"].get("minMember", 1))


def _of_ray_cluster(cluster: Manifest) -> int:
    """The head and its workers; with Ray's autoscaler, the fewest of these."""
    spec = cluster["spec"]
    replicas = "minReplicas" if spec.get("enableInTreeAutoscaling") else "replicas"
    groups = [group for group in spec.get("workerGroupSpecs") or [] if not group.get("suspend")]
    return 1 + sum(int(group.get(replicas) or 0) * int(group.get("numOfHosts") or 1) for group in groups)


OWNERS: Mapping[Source, OwnerKind] = {
    Source.JOB: OwnerKind("batch/v1", "Job", "jobs", _of_job, left=_left_of_job),
    Source.JOB_SET: OwnerKind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets", _of_job_set),
    Source.LEADER_WORKER_SET: OwnerKind(
        "leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "leaderworkersets", _of_leader_worker_set, has_groups=True
    ),
    Source.MPI_JOB: OwnerKind("kubeflow.org/v2beta1", "MPIJob", "mpijobs", _of_mpi_job),
    Source.POD_GROUP: OwnerKind("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups", _of_pod_group),
    Source.RAY_CLUSTER: OwnerKind("ray.io/v1", "RayCluster", "rayclusters", _of_ray_cluster),
}
"""Every source for which the operator makes Gangs."""
