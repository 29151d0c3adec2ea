"""The owners of pods for which the operator makes Gangs: where each is in the API, and how many pods it makes."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lockstep.api.client.answer import Target
from lockstep.api.client.paths import object_of
from lockstep.api.cluster.event import EventSubject
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.first_pods import (
    FirstPods,
    groups_of_leader_worker_set,
    of_job,
    of_job_set,
    of_kueue_group,
    of_leader_worker_set,
    of_mpi_job,
    of_pod_group,
    of_ray_cluster,
    of_single_pod,
    of_workload,
)
from lockstep.api.podgang.kueue import KUEUE_VERSION
from lockstep.api.podgang.scheduling_group import (
    VERSIONS,
    domain_of_scheduling_group,
    of_scheduling_group,
    scheduling_group_preempts,
)
from lockstep.api.podgang.section import Section
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.source import Source, maker_of
from lockstep.facts.ranks import MOST_RANKS, parse_ranks


class OwnerKind(NamedTuple):
    """A kind of owners. ``first`` returns the pods of one owner that are to be placed together.

    An owner that has ``groups`` makes so many Gangs: the number of the group stands behind its name. ``left`` returns
    how many pods it still makes at most, when others of its pods have ended. ``says_size`` is whether its annotations
    may say another size. ``domain`` returns the label of nodes by which its own fields require one domain, or '';
    it raises ``ValueError`` for what no Gang can have. ``preempts`` returns whether others may give way to it, by these
    fields. The API server may have ``other_versions`` of the kind instead.
    If it ``is_elastic``, the number of its pods may change while they run.
    """

    api_version: str
    kind: str
    plural: str
    first: Callable[[Section], Sequence[FirstPods]]
    groups: Callable[[Section], int] | None = None
    left: Callable[[Manifest], int] = lambda _: MOST_RANKS
    says_size: bool = True
    domain: Callable[[Section], str] = lambda _: ""
    preempts: Callable[[Section], bool] = lambda _: True
    other_versions: tuple[str, ...] = ()
    shown_as: str = ""
    is_elastic: bool = False

    @property
    def group(self) -> str:
        """The API group of the owner; empty for that of pods."""
        return self.api_version.rpartition("/")[0]

    @property
    def resource(self) -> str:
        """The kind in rights and metrics: its plural, or one with the group if other kinds have the same plural."""
        return self.shown_as or self.plural

    @property
    def versions(self) -> tuple[str, ...]:
        """Every version of the kind that can be read."""
        return (self.api_version, *self.other_versions)

    def at(self, version: str) -> "OwnerKind":
        """The same kind in another of its versions."""
        return self if version == self.api_version else self._replace(api_version=version, other_versions=())

    def expected(self, owner: Manifest) -> int:
        """How many pods of one owner are to be placed together. Raises ``FieldError`` for a field of the wrong type."""
        return sum(pods.number for pods in self.first(Section(owner)))

    def everywhere(self) -> Target:
        """All owners of the kind."""
        return Target(f"/apis/{self.api_version}/{self.plural}", self.plural)

    def target(self, namespace: str, named: str) -> Target:
        """The owner for which a Gang is made, as the Gang's name says without its source."""
        path, _ = object_of(self.api_version, self.plural, namespace, self._name(named))
        return Target(path, self.resource)

    def subject(self, namespace: str, named: str, uid: str) -> EventSubject:
        """The same owner as the subject of events."""
        return EventSubject(self.api_version, self.kind, namespace, self._name(named), uid)

    def _name(self, named: str) -> str:
        return named if self.groups is None else named.rpartition(".")[0]


def _left_of_job(job: Manifest) -> int:
    """Its completions but for those that have succeeded, or have failed for good."""
    completions, status = job["spec"].get("completions"), job.get("status") or {}
    if completions is None:
        return MOST_RANKS
    failed = parse_ranks(status.get("failedIndexes") or "").bit_count()
    return int(completions) - int(status.get("succeeded") or 0) - failed


OWNERS: Mapping[Source, OwnerKind] = {
    Source.JOB: OwnerKind("batch/v1", "Job", "jobs", of_job, left=_left_of_job, is_elastic=True),
    Source.JOB_SET: OwnerKind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets", of_job_set),
    Source.LEADER_WORKER_SET: OwnerKind(
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        "leaderworkersets",
        of_leader_worker_set,
        groups=groups_of_leader_worker_set,
    ),
    Source.MPI_JOB: OwnerKind("kubeflow.org/v2beta1", "MPIJob", "mpijobs", of_mpi_job),
    Source.POD_GROUP: OwnerKind("scheduling.x-k8s.io/v1alpha1", "PodGroup", "podgroups", of_pod_group),
    Source.RAY_CLUSTER: OwnerKind("ray.io/v1", "RayCluster", "rayclusters", of_ray_cluster, is_elastic=True),
    Source.SCHEDULING_GROUP: OwnerKind(
        VERSIONS[0],
        "PodGroup",
        "podgroups",
        of_scheduling_group,
        domain=domain_of_scheduling_group,
        preempts=scheduling_group_preempts,
        other_versions=VERSIONS[1:],
        shown_as="podgroups.scheduling.k8s.io",
    ),
    # Bindings write the annotation of the size to pods, for their programs.
    Source.SINGLE: OwnerKind("v1", "Pod", "pods", of_single_pod, says_size=False),
    # Any pod of the group says how many there are.
    Source.KUEUE_GROUP: OwnerKind("v1", "Pod", "pods", of_kueue_group, says_size=False),
    # Kueue has given quota to a number of pods.
    Source.WORKLOAD: OwnerKind(KUEUE_VERSION, "Workload", "workloads", of_workload, says_size=False),
}
"""Every source for which the operator makes Gangs."""


def owner_subject(gang: PodGang) -> EventSubject | None:
    """The owner for which the operator has made a Gang, as the subject of events.

    None for the Gang of a user, and for that of pods that have no owner in common.
    """
    named = maker_of(object_name(gang.key))
    if named is None or not gang.made_for or named[0] is Source.KUEUE_GROUP:
        return None
    source, owner = named
    kind = OWNERS[source]
    if source is Source.WORKLOAD:
        # A long name of a Workload is not whole in that of its Gang.
        owner = gang.owners[0].name
    version = gang.owner_version if gang.owner_version in kind.versions else kind.api_version
    return kind.at(version).subject(gang.key.namespace, owner, gang.made_for)
