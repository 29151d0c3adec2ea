"""Every source of Gangs with a maker of its pods, and the way in which pods that are bound in part are undone."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import NamedTuple

from builders.served import metadata, pod
from crashes.in_memory.changing_size import changing_cluster, live_changing, live_drained
from crashes.in_memory.life import live
from crashes.in_memory.pod_makers import GroupMaker, PodMaker, ReplacingMaker, SuspendedMaker
from fake_cluster.owners import create_owner, reference
from fake_cluster.rig import DEFAULT
from lockstep.api.suspending.suspendable import SUSPENDABLE_KINDS
from lockstep.facts.gang.source import Source

_UIDS = count(1)
_GROUPED = {"scheduling.x-k8s.io/pod-group": "heat"}
_MEMBER = {"lockstep.dev/member-of": "heat"}
_KUEUE = "kueue.x-k8s.io/pod-group"
_IGNORES = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}
_TEMPLATE = {"spec": {"schedulerName": "lockstep"}}
_SPECS = {
    "Job": {"parallelism": 3, "template": _TEMPLATE},
    "JobSet": {"replicatedJobs": [{"template": {"spec": {"parallelism": 3, "template": _TEMPLATE}}}]},
    "RayCluster": {
        "headGroupSpec": {"template": _TEMPLATE},
        "workerGroupSpecs": [{"replicas": 2, "template": _TEMPLATE}],
    },
    "MPIJob": {"mpiReplicaSpecs": {"Launcher": {"template": _TEMPLATE}, "Worker": {"replicas": 2}}},
}
_LABELS = {
    "JobSet": {"jobset.sigs.k8s.io/jobset-name": "heat"},
    "RayCluster": {"ray.io/cluster": "heat"},
    "MPIJob": {"training.kubeflow.org/job-name": "heat", "training.kubeflow.org/operator-name": "mpi-operator"},
}
_KINDS = {kind.kind: kind for kind in SUSPENDABLE_KINDS}


class Cast(NamedTuple):
    """The sources of the operator, and what creates an owner with the maker of its pods.

    If ``is_kept``, pods that are bound in part stay so until the others can be bound. ``life`` is lived by it.
    """

    sources: frozenset[Source]
    create: Callable
    is_kept: bool = False
    life: Callable = live


def _pod(name, *, owner=None, spec=None, **more):
    """Describe a pod that names Lockstep as its scheduler. No two pods have one UID."""
    owners = {"ownerReferences": [owner]} if owner else {}
    spec = {"schedulerName": "lockstep", **(spec or {})}
    return pod(name, cpu="4", spec=spec, uid=f"uid-{next(_UIDS)}-of-{name}", **owners, **more)


def _suspendable(kind, api):
    """An owner whose own source makes the Gang."""
    place = create_owner(api, kind.plural, "heat", spec=_SPECS[kind.kind])
    owner = None if kind.kind == "JobSet" else reference(kind.api_version, kind.kind, "heat")
    make_pod = partial(_pod, owner=owner, labels=_LABELS.get(kind.kind, {}))
    return SuspendedMaker(api, make_pod, place, policy=kind.policy)


def _with_group(kind, api):
    """An owner with a PodGroup of Coscheduling's."""
    place = create_owner(api, kind.plural, "heat")
    above = reference(kind.api_version, kind.kind, "heat")
    create_owner(api, "podgroups", "heat", owners=[above], spec={"minMember": 3})
    return SuspendedMaker(api, partial(_pod, labels=_GROUPED), place, policy=kind.policy)


def _with_scheduling_group(api):
    """A Job with a PodGroup of Kubernetes' own."""
    above = reference("batch/v1", "Job", "heat")
    place = create_owner(api, "jobs", "heat", spec=_SPECS["Job"])
    group = {"schedulingPolicy": {"gang": {"minCount": 3}}}
    create_owner(api, "podgroups", "heat-group", owners=[above], spec=group)
    spec = {"schedulingGroup": {"podGroupName": "heat-group"}}
    return SuspendedMaker(api, partial(_pod, owner=above, spec=spec), place)


def _train_job(api):
    """A TrainJob above a JobSet."""
    kind = _KINDS["TrainJob"]
    place = create_owner(api, kind.plural, "heat")
    create_owner(api, "jobsets", "heat", owners=[reference(kind.api_version, kind.kind, "heat")], spec=_SPECS["JobSet"])
    return SuspendedMaker(api, partial(_pod, labels=_LABELS["JobSet"]), place)


def _pod_group(api):
    """Bare pods with a PodGroup of Coscheduling's."""
    create_owner(api, "podgroups", "heat", spec={"minMember": 3})
    return PodMaker(api, partial(_pod, labels=_GROUPED))


def _kueue_group(api):
    """Bare pods that name a group of Kueue."""
    says = {"labels": {f"{_KUEUE}-name": "heat"}, "annotations": {f"{_KUEUE}-total-count": "3"}}
    return PodMaker(api, partial(_pod, **says))


def _leader_worker_set(api):
    """A LeaderWorkerSet of one group."""
    spec = {"replicas": 1, "leaderWorkerTemplate": {"size": 3}}
    create_owner(api, "leaderworkersets", "heat", spec=spec)
    return GroupMaker(api, _pod_of_set)


def _pod_of_set(name):
    is_leader = name == "heat-0"
    words = {"name": "heat", "group-index": "0", "worker-index": "0" if is_leader else name.rpartition("-")[2]}
    labels = {f"leaderworkerset.sigs.k8s.io/{word}": value for word, value in words.items()}
    owner = reference("apps/v1", "StatefulSet", "heat" if is_leader else "heat-0")
    return _pod(name, labels=labels, owner=owner)


def _gang(api, **spec):
    """Create a Gang that a user writes."""
    about = metadata("heat", namespace=DEFAULT, generation=1)
    api.store.create("gangs", {"metadata": about, "spec": {"size": {"min": 3}, **spec}})


def _kept_pods(api):
    _gang(api)
    return PodMaker(api, partial(_pod, labels=_MEMBER))


def _evicted_pods(api):
    _gang(api, undo="Evict")
    return ReplacingMaker(api, partial(_pod, labels=_MEMBER, owner=reference("apps/v1", "ReplicaSet", "heat")))


def _evicted_job(api):
    _gang(api, undo="Evict")
    create_owner(api, "jobs", "heat", spec={**_SPECS["Job"], "podFailurePolicy": _IGNORES})
    return ReplacingMaker(api, partial(_pod, labels=_MEMBER, owner=reference("batch/v1", "Job", "heat")))


def _single_pods(api):
    return PodMaker(api, _pod)


_EVERY = frozenset(Source)
CASTS = {
    **{
        f"{name} with a PodGroup": Cast(_EVERY, partial(_with_group, kind))
        for name, kind in _KINDS.items()
        # The other kinds of the training operator differ by their names.
        if name in ("TrainJob", "MPIJob", "PyTorchJob")
    },
    **{name: Cast(_EVERY, partial(_suspendable, _KINDS[name])) for name in _SPECS},
    "Job with a PodGroup of Kubernetes": Cast(_EVERY, _with_scheduling_group),
    "TrainJob with a JobSet": Cast(_EVERY, _train_job),
    "LeaderWorkerSet": Cast(_EVERY, _leader_worker_set),
    "pods to evict": Cast(_EVERY, _evicted_pods),
    "Job to evict": Cast(_EVERY, _evicted_job),
    "pods to keep": Cast(_EVERY, _kept_pods, is_kept=True),
    "PodGroup": Cast(_EVERY, _pod_group, is_kept=True),
    "group of Kueue": Cast(_EVERY, _kueue_group, is_kept=True),
    "single pods": Cast(_EVERY, _single_pods, is_kept=True),
    "RayCluster that changes its size": Cast(_EVERY, changing_cluster, life=live_changing),
    "RayCluster that is drained": Cast(_EVERY, changing_cluster, life=live_drained),
}
