"""The kinds of owners for which the operator makes Gangs: their places in the API, and the pods that they make."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from lockstep.api.client.answer import Target
from lockstep.api.client.paths import object_of
from lockstep.api.cluster.event import EventSubject
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.first_pods import (
    FirstPods,
    all_of_job,
    all_of_job_set,
    all_of_kueue_group,
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
    all_of_scheduling_group,
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
    """A kind of owners. ``first`` returns the pods of one owner: those to be placed together, and later ones.

    ``groups`` returns the number of an owner's groups. Each group gets a Gang, whose name ends with the number of the
    group. Without ``groups``, an owner gets one Gang. ``left`` returns for how many pods, at most, an owner still has
    work. ``in_all`` returns how many of its pods have succeeded once it is complete; 0 if that is unknown.
    ``says_size`` says whether annotations of an owner may state another size.

    ``domain`` returns the label of nodes by which an owner's own fields require one domain, or ''. It raises
    ``ValueError`` for a requirement that no Gang can have. ``preempts`` returns whether these fields allow that the
    owner preempts others. The API server may have ``other_versions`` of the kind. If the kind ``is_elastic``, an
    owner's number of pods may change while they run.
    """

    api_version: str
    kind: str
    plural: str
    first: Callable[[Section], Sequence[FirstPods]]
    groups: Callable[[Section], int] | None = None
    left: Callable[[Manifest], int] = lambda _: MOST_RANKS
    in_all: Callable[[Section], int] = lambda _: 0
    says_size: bool = True
    domain: Callable[[Section], str] = lambda _: ""
    preempts: Callable[[Section], bool] = lambda _: True
    other_versions: tuple[str, ...] = ()
    shown_as: str = ""
    is_elastic: bool = False

    @property
    def group(self) -> str:
        """The API group of the kind; '' for pods."""
        return self.api_version.rpartition("/")[0]

    @property
    def resource(self) -> str:
        """The kind's name in rights and metrics: its plural, with the API group if other kinds have the same plural."""
        return self.shown_as or self.plural

    @property
    def versions(self) -> tuple[str, ...]:
        """Every version of the kind that can be read."""
        return (self.api_version, *self.other_versions)

    def at(self, version: str) -> "OwnerKind":
        """The same kind in another version."""
        return self if version == self.api_version else self._replace(api_version=version, other_versions=())

    def expected(self, owner: Manifest) -> int:
        """The number of an owner's pods that must be placed together.

        Raises ``FieldError`` for a field of the wrong type.
        """
        return sum(pods.number for pods in self.first(Section(owner)))

    def everywhere(self) -> Target:
        """The place of all owners of the kind in the API. The kind must be in an API group."""
        return Target(f"/apis/{self.api_version}/{self.plural}", self.plural)

    def target(self, namespace: str, named: str) -> Target:
        """The place of one owner in the API. ``named`` is the name of its Gang without the source."""
        path, _ = object_of(self.api_version, self.plural, namespace, self._name(named))
        return Target(path, self.resource)

    def subject(self, namespace: str, named: str, uid: str) -> EventSubject:
        """The owner as the subject of events. ``named`` is the name of its Gang without the source."""
        return EventSubject(self.api_version, self.kind, namespace, self._name(named), uid)

    def _name(self, named: str) -> str:
        return named if self.groups is None else named.rpartition(".")[0]


def _left_of_job(job: Manifest) -> int:
    """The Job's completions, without those that have succeeded or have failed for good.

    A Job without a number of completions creates no pod any more once a pod has succeeded.
    """
    completions, status = job["spec"].get("completions"), job.get("status") or {}
    if completions is None:
        return int(status.get("active") or 0) if status.get("succeeded") else MOST_RANKS
    failed = parse_ranks(status.get("failedIndexes") or "").bit_count()
    return int(completions) - int(status.get("succeeded") or 0) - failed


OWNERS: Mapping[Source, OwnerKind] = {
    Source.JOB: OwnerKind("batch/v1", "Job", "jobs", of_job, left=_left_of_job, in_all=all_of_job, is_elastic=True),
    Source.JOB_SET: OwnerKind("jobset.x-k8s.io/v1alpha2", "JobSet", "jobsets", of_job_set, in_all=all_of_job_set),
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
        in_all=all_of_scheduling_group,
        domain=domain_of_scheduling_group,
        preempts=scheduling_group_preempts,
        other_versions=VERSIONS[1:],
        shown_as="podgroups.scheduling.k8s.io",
    ),
    # A pod can't state its size: the operator itself writes the annotation for sizes to pods, for the programs in them.
    Source.SINGLE: OwnerKind("v1", "Pod", "pods", of_single_pod, says_size=False),
    # Each pod of the group states the number of pods in another annotation.
    Source.KUEUE_GROUP: OwnerKind("v1", "Pod", "pods", of_kueue_group, in_all=all_of_kueue_group, says_size=False),
    # Kueue decides the number of pods: as many as have quota.
    Source.WORKLOAD: OwnerKind(KUEUE_VERSION, "Workload", "workloads", of_workload, says_size=False),
}
"""The kind of owner for every source for which the operator makes Gangs."""


def owner_subject(gang: PodGang) -> EventSubject | None:
    """The owner for which the operator has made a Gang, as the subject of events.

    It is None for the Gang of a user, and for pods without a common owner.
    """
    named = maker_of(object_name(gang.key))
    if named is None or not gang.made_for or named[0] is Source.KUEUE_GROUP:
        return None
    source, owner = named
    kind = OWNERS[source]
    if source is Source.WORKLOAD:
        # If the name of a Workload is long, the name of the Gang has only its beginning.
        owner = gang.owners[0].name
    version = gang.owner_version if gang.owner_version in kind.versions else kind.api_version
    return kind.at(version).subject(gang.key.namespace, owner, gang.made_for)
