"""Pods of every source for which the operator makes Gangs: many of one owner, all different, and of many owners."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from builders.served import metadata
from lockstep.api.names import (
    API_VERSION,
    FIRST_SIZE_ANNOTATION,
    GO_ANNOTATION,
    POD_GANG_KIND,
    PROGRESS_ANNOTATION,
    RANK_LABEL,
    READY_ANNOTATION,
    RESIZE_ANNOTATION,
    SCHEDULER_NAME,
    SEAT_ANNOTATION,
    SIZED_ANNOTATION,
    SUSPENDED_FOR_ANNOTATION,
)
from lockstep.api.podgang.made_gang import MADE, MADE_ANNOTATION
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source, made_name
from tenants.owners import ANNOTATIONS
from tenants.shapes import MANY, NAMED, NAMESPACE, Shape

Manifest = Mapping[str, Any]

OF_SOURCE = "source"
"""How the names of fields begin of pods for which the operator makes a Gang."""
PODS = MANY["pods"]
_TOTAL = "kueue.x-k8s.io/pod-group-total-count"
_ANNOTATIONS = (
    *ANNOTATIONS,
    SEAT_ANNOTATION,
    SUSPENDED_FOR_ANNOTATION,
    SIZED_ANNOTATION,
    FIRST_SIZE_ANNOTATION,
    GO_ANNOTATION,
    PROGRESS_ANNOTATION,
    RESIZE_ANNOTATION,
    READY_ANNOTATION,
    RANK_LABEL,
)
_LABELS: Mapping[Source, Callable[[str], Mapping[str, str]]] = {
    Source.JOB_SET: lambda owner: {
        "jobset.sigs.k8s.io/jobset-name": owner,
        "jobset.sigs.k8s.io/jobset-uid": _uid(owner),
    },
    Source.LEADER_WORKER_SET: lambda owner: {
        "leaderworkerset.sigs.k8s.io/name": owner,
        "leaderworkerset.sigs.k8s.io/group-index": "0",
    },
    Source.MPI_JOB: lambda owner: {
        "training.kubeflow.org/job-name": owner,
        "training.kubeflow.org/operator-name": "mpi-operator",
    },
    Source.POD_GROUP: lambda owner: {"scheduling.x-k8s.io/pod-group": owner},
    Source.RAY_CLUSTER: lambda owner: {"ray.io/cluster": owner},
    Source.KUEUE_GROUP: lambda owner: {"kueue.x-k8s.io/pod-group-name": owner},
}


class _Pod(NamedTuple):
    """What differs among the pods of a shape."""

    owner: str = NAMED
    cpu: str = "10m"
    annotations: Mapping[str, str] = {}


_SHAPES: Mapping[tuple[str, str], Callable[[int], _Pod]] = {
    ("pods", "small, of many"): lambda _: _Pod(),
    ("needs", "different entries"): lambda number: _Pod(cpu=f"{number + 1}m"),
    ("owner", "different entries"): lambda number: _Pod(owner=f"{NAMED}{number}"),
    ("annotations", "longest entries"): lambda number: _Pod(
        annotations={_ANNOTATIONS[number]: f"{number}{'9' * 50_000}"} if number < len(_ANNOTATIONS) else {}
    ),
}


def shapes_of_sources() -> Iterator[Shape]:
    """The pods of each source, in each of these ways."""
    for source in OWNERS:
        for (field, name), of_number in _SHAPES.items():
            yield Shape("pods", f"{OF_SOURCE}.{source}.{field}", name, partial(_pods, source, of_number))


def made_gangs() -> Iterator[Manifest]:
    """The Gangs that the operator makes for them: for the one owner of each source, and for some of many."""
    for source in OWNERS:
        yield _gang(source, NAMED)
    for source in (Source.JOB, Source.SINGLE):
        for number in range(MANY["gangs"]):
            yield _gang(source, f"{NAMED}{number}")


def _pods(source: Source, of_number: Callable[[int], _Pod]) -> list[Manifest]:
    return [_pod(source, of_number(number), number) for number in range(PODS)]


def _pod(source: Source, one: _Pod, number: int) -> Manifest:
    name = f"{NAMED}{number}" if source is Source.SINGLE else f"{NAMED}-{source}-{number}"
    count = {_TOTAL: str(PODS)} if source is Source.KUEUE_GROUP else {}
    about = {
        "labels": dict(_LABELS[source](one.owner)) if source in _LABELS else {},
        "annotations": {**count, **one.annotations},
        "ownerReferences": _references(source, one.owner),
    }
    group = {"schedulingGroup": {"podGroupName": one.owner}} if source is Source.SCHEDULING_GROUP else {}
    container = {"name": "main", "image": "x", "resources": {"requests": {"cpu": one.cpu}}}
    return {
        "metadata": {**metadata(name, namespace=NAMESPACE, generation=1), **about},
        "spec": {"schedulerName": SCHEDULER_NAME, "containers": [container], **group},
        "status": {"phase": "Pending"},
    }


def _references(source: Source, owner: str) -> list[Manifest]:
    if source not in (Source.JOB, Source.RAY_CLUSTER):
        return []
    kind = OWNERS[source]
    reference = {"apiVersion": kind.api_version, "kind": kind.kind, "name": owner, "uid": _uid(owner)}
    return [{**reference, "controller": True}]


def _gang(source: Source, owner: str) -> Manifest:
    kind = OWNERS[source]
    reference = {"apiVersion": kind.api_version, "kind": kind.kind, "name": owner, "uid": _uid(owner)}
    named = f"{owner}.0" if source is Source.LEADER_WORKER_SET else owner
    about = {
        **metadata(made_name(source, named), namespace=NAMESPACE, generation=1),
        "annotations": {MADE_ANNOTATION: MADE},
        "ownerReferences": [reference],
    }
    least = PODS if source is Source.KUEUE_GROUP else 1
    return {"apiVersion": API_VERSION, "kind": POD_GANG_KIND, "metadata": about, "spec": {"size": {"min": least}}}


def _uid(owner: str) -> str:
    return f"uid-of-{owner}"
