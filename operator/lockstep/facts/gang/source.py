"""The sources of gangs, besides GangJobs."""

from enum import StrEnum
from typing import NamedTuple, assert_never


class Source(StrEnum):
    """A source of gangs, with its name in ``lockstep run --sources``.

    For every source except ``PODS``, the operator makes the Gang. The name of the Gang begins with the name of the
    source; for ``SIZED_JOB`` and ``SIZED_RAY_CLUSTER``, with that of ``JOB`` and ``RAY_CLUSTER``.
    """

    PODS = "pods"
    """Pods that name a Gang, which a user has written."""
    JOB = "job"
    JOB_SET = "jobset"
    LEADER_WORKER_SET = "leaderworkerset"
    MPI_JOB = "mpijob"
    POD_GROUP = "podgroup"
    RAY_CLUSTER = "raycluster"
    SCHEDULING_GROUP = "schedulinggroup"
    """Kubernetes' own PodGroups, which pods name in ``spec.schedulingGroup``."""
    SINGLE = "single"
    """Pods that need no other pods: each is the owner of its Gang."""
    SIZED_JOB = "sizedjob"
    """Suspended Jobs with a range of sizes: they get a size and are resumed. Their Gangs are those of ``JOB``."""
    SIZED_RAY_CLUSTER = "sizedraycluster"
    """Suspended RayClusters with a range of sizes, as for Jobs. Their Gangs are those of ``RAY_CLUSTER``."""
    KUEUE_GROUP = "kueuegroup"
    """Pods that name a group of Kueue. They have no common owner: some of the pods own their Gang."""
    WORKLOAD = "workload"
    """Workloads of Kueue that have an AdmissionCheck of Lockstep.

    Their pods are created once the check says that they fit.
    """

    @property
    def makes_gangs(self) -> bool:
        """Whether the operator makes Gangs that are named after this source."""
        return _traits_of(self).makes_gangs

    @property
    def is_pod_group(self) -> bool:
        """Whether an object that creates no pods states the number of pods.

        The number may change while the pods stay.
        """
        return _traits_of(self).is_pod_group

    @property
    def is_of_pods(self) -> bool:
        """Whether pods themselves own such a Gang, since they have no common owner."""
        return _traits_of(self).is_of_pods


class _Traits(NamedTuple):
    makes_gangs: bool = True
    is_pod_group: bool = False
    is_of_pods: bool = False


def _traits_of(source: Source) -> _Traits:
    match source:
        case Source.PODS | Source.SIZED_JOB | Source.SIZED_RAY_CLUSTER:
            return _Traits(makes_gangs=False)
        case Source.POD_GROUP | Source.SCHEDULING_GROUP:
            return _Traits(is_pod_group=True)
        case Source.SINGLE | Source.KUEUE_GROUP:
            return _Traits(is_of_pods=True)
        case Source.JOB | Source.JOB_SET | Source.LEADER_WORKER_SET | Source.MPI_JOB | Source.RAY_CLUSTER:
            return _Traits()
        case Source.WORKLOAD:
            return _Traits()
        case _:
            assert_never(source)


def made_name(source: Source, owner: str) -> str:
    """The name of the Gang that the operator makes for an owner of pods.

    A Job and a RayCluster of one name have Gangs of different names.
    """
    return f"{source}.{owner}"


_MAKERS = frozenset(source for source in Source if source.makes_gangs)


def maker_of(name: str) -> tuple[Source, str] | None:
    """The source and the owner for which a Gang of that name is made; None for a user's Gang."""
    source, dot, owner = name.partition(".")
    return (Source(source), owner) if dot and owner and source in _MAKERS else None
