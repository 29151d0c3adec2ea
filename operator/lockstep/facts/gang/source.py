"""Where gangs come from, beside GangJobs."""

from enum import StrEnum
from typing import assert_never


class Source(StrEnum):
    """What else is placed as gangs, as ``lockstep run --sources`` names it.

    For every source but ``PODS`` the operator makes the Gang, whose name begins with that of the source.
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
    """PodGroups of Kubernetes' own, which pods name in ``spec.schedulingGroup``."""
    SINGLE = "single"
    """Pods that need no others: each is the owner of its Gang."""
    SIZED_JOB = "sizedjob"
    """Suspended Jobs with a range of sizes: they get a size and are resumed. Their Gangs are those of ``JOB``."""
    SIZED_RAY_CLUSTER = "sizedraycluster"
    """The same of RayClusters. Their Gangs are those of ``RAY_CLUSTER``."""
    KUEUE_GROUP = "kueuegroup"
    """Pods that name a group of Kueue. They have no owner in common: their Gang is owned by some of them."""

    @property
    def makes_gangs(self) -> bool:
        """Whether the operator makes Gangs that are named after this source."""
        match self:
            case Source.PODS | Source.SIZED_JOB | Source.SIZED_RAY_CLUSTER:
                return False
            case (
                Source.JOB
                | Source.JOB_SET
                | Source.LEADER_WORKER_SET
                | Source.MPI_JOB
                | Source.POD_GROUP
                | Source.RAY_CLUSTER
                | Source.SCHEDULING_GROUP
                | Source.SINGLE
                | Source.KUEUE_GROUP
            ):
                return True
            case _:
                assert_never(self)

    @property
    def is_pod_group(self) -> bool:
        """Whether an object that makes no pods says how many pods there are, and may change that while they stay."""
        match self:
            case Source.POD_GROUP | Source.SCHEDULING_GROUP:
                return True
            case (
                Source.PODS
                | Source.JOB
                | Source.JOB_SET
                | Source.LEADER_WORKER_SET
                | Source.MPI_JOB
                | Source.RAY_CLUSTER
                | Source.SINGLE
                | Source.SIZED_JOB
                | Source.SIZED_RAY_CLUSTER
                | Source.KUEUE_GROUP
            ):
                return False
            case _:
                assert_never(self)

    @property
    def is_of_pods(self) -> bool:
        """Whether pods themselves own such a Gang, since they have no owner in common."""
        match self:
            case Source.SINGLE | Source.KUEUE_GROUP:
                return True
            case (
                Source.PODS
                | Source.JOB
                | Source.JOB_SET
                | Source.LEADER_WORKER_SET
                | Source.MPI_JOB
                | Source.POD_GROUP
                | Source.RAY_CLUSTER
                | Source.SCHEDULING_GROUP
                | Source.SIZED_JOB
                | Source.SIZED_RAY_CLUSTER
            ):
                return False
            case _:
                assert_never(self)


def made_name(source: Source, owner: str) -> str:
    """The name of the Gang that the operator makes for an owner of pods. A Job and a RayCluster have different ones."""
    return f"{source}.{owner}"


_MAKERS = frozenset(source for source in Source if source.makes_gangs)


def maker_of(name: str) -> tuple[Source, str] | None:
    """The source and the owner for which a Gang of that name is made; None for the Gang of a user."""
    source, dot, owner = name.partition(".")
    return (Source(source), owner) if dot and owner and source in _MAKERS else None
