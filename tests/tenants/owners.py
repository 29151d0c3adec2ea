"""Owners of pods as large as a tenant can have them: for each, the operator makes a Gang in one step of its event loop.

They are read when a pod names them, so none is watched, and none is cached.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from lockstep.api.podgang import gang_annotations
from lockstep.api.podgang.made_gang import made_gang, made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source, made_name
from tenants.fitting import is_stored, largest
from tenants.shapes import NAMED, NAMESPACE

Manifest = Mapping[str, Any]

ANNOTATIONS = (
    gang_annotations.SIZE,
    gang_annotations.SERIAL_TIME,
    gang_annotations.OVERHEAD_PER_MEMBER,
    gang_annotations.HOSTS,
    gang_annotations.UNDO,
    gang_annotations.ELASTIC,
    gang_annotations.RESTART_TIME,
    gang_annotations.MIN_INTERVAL,
    gang_annotations.OF_OWNER,
    gang_annotations.OF_TEMPLATE,
)
_MOST_BYTES_OF_ANNOTATIONS = 250_000
"""The API server takes 256 KiB."""
# What makes the operator read the annotation at all.
_BESIDE = {
    gang_annotations.OVERHEAD_PER_MEMBER: {gang_annotations.SERIAL_TIME: "1h"},
    gang_annotations.RESTART_TIME: {gang_annotations.ELASTIC: "Members"},
    gang_annotations.MIN_INTERVAL: {gang_annotations.ELASTIC: "Members"},
}
_TEXTS = {"digits": "9", "units": "1s", "ranges": "1-", "words": "k"}
_MOST_PARTS = 100_000


class LargeOwner(NamedTuple):
    """An owner by what is large in it."""

    source: Source
    field: str
    make: Callable[[], Manifest]


def large_owners() -> Iterator[LargeOwner]:
    """Owners of every kind with each annotation, and those with parts with as many as fit."""
    for source, name, (kind, text) in itertools.product(OWNERS, ANNOTATIONS, _TEXTS.items()):
        yield LargeOwner(source, f"{name} of {kind}", partial(_annotated, source, name, text))
    for field, (source, spec) in _PARTS.items():
        yield LargeOwner(source, field, partial(_of_parts, source, spec))


def gang_of(source: Source, owner: Manifest) -> Manifest:
    """The Gang that the operator makes for it. Raises ``ValueError`` for an owner that can't be understood."""
    return made_gang(made_name(source, NAMED), owner, made_parts(OWNERS[source], owner))


def _annotated(source: Source, name: str, text: str) -> Manifest:
    value = text * (_MOST_BYTES_OF_ANNOTATIONS // len(text))
    return _owner({**_BESIDE.get(name, {}), name: value}, {})


def _of_parts(source: Source, spec: Callable[[int], Manifest]) -> Manifest:
    return _owner({}, largest(lambda counts: spec(counts[0]), [_MOST_PARTS], is_stored))


def _owner(annotations: Mapping[str, str], spec: Manifest) -> Manifest:
    named = {"name": NAMED, "namespace": NAMESPACE, "uid": f"uid-of-{NAMED}"}
    return {"metadata": {**named, "annotations": annotations}, "spec": spec}


def _job_set(parts: int) -> Manifest:
    job = {"template": {"spec": {"parallelism": 2}}}
    return {"replicatedJobs": [{**job, "name": f"k{number}"} for number in range(parts)]}


def _job_that_awaits_many(parts: int) -> Manifest:
    awaited = [{"name": f"k{number}", "status": "Ready"} for number in range(parts)]
    return {"replicatedJobs": [{"name": "last", "dependsOn": awaited}]}


def _ray_cluster(parts: int) -> Manifest:
    groups = [{"groupName": f"k{number}", "replicas": 1} for number in range(parts)]
    return {"headGroupSpec": {}, "workerGroupSpecs": groups}


def _containers(parts: int) -> Manifest:
    return {"parallelism": 2, "template": {"spec": {"containers": [{"name": f"k{one}"} for one in range(parts)]}}}


_PARTS: Mapping[str, tuple[Source, Callable[[int], Manifest]]] = {
    "replicatedJobs": (Source.JOB_SET, _job_set),
    "dependsOn": (Source.JOB_SET, _job_that_awaits_many),
    "workerGroupSpecs": (Source.RAY_CLUSTER, _ray_cluster),
    "containers": (Source.JOB, _containers),
    "topology": (
        Source.SCHEDULING_GROUP,
        lambda parts: {"schedulingConstraints": {"topology": [{"key": f"k{number}"} for number in range(parts)]}},
    ),
}
