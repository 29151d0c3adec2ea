"""Suspended Jobs whose annotation has a range of sizes: how they are read, and how they get a size."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import SCHEDULER_NAME, SIZED_ANNOTATION
from lockstep.api.podgang.gang_annotations import SIZE
from lockstep.api.podgang.kueue import is_queued
from lockstep.api.podgang.made_gang import size_range
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.sized_job import SizedJob
from lockstep.facts.gang.source import Source, made_name

_DRY_RUN_NAME_LENGTH = 200


def parse_sized_job(job: Manifest) -> SizedJob:
    """Any Job."""
    metadata = job["metadata"]
    return SizedJob(
        gang=pod_gang_key(metadata["namespace"], made_name(Source.JOB, metadata["name"])),
        name=metadata["name"],
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        awaits_size=awaits_size(job),
        sizes=_sizes(metadata.get("annotations") or {}),
        completions_follow=_completions_follow(job["spec"], job.get("status") or {}),
    )


def awaits_size(job: Manifest) -> bool:
    """Whether the Job waits for a size: it is suspended, and names a range and Lockstep.

    One that has its size is not: a user has suspended it after its start.
    """
    metadata, spec = job["metadata"], job["spec"]
    annotations = metadata.get("annotations") or {}
    is_asked = bool(spec.get("suspend")) and SIZE in annotations and SIZED_ANNOTATION not in annotations
    if not is_asked or "deletionTimestamp" in metadata:
        return False
    return not is_queued(job) and spec["template"]["spec"].get("schedulerName") == SCHEDULER_NAME


def with_size(job: SizedJob, size: int) -> dict[str, Any]:
    """The merge patch that gives the Job its size and resumes it, if it is as it was read."""
    counts = {"parallelism": size} | ({"completions": size} if job.completions_follow else {})
    metadata = {
        "uid": job.uid,
        "resourceVersion": job.resource_version,
        "annotations": {SIZED_ANNOTATION: str(size)},
    }
    return {"metadata": metadata, "spec": {"suspend": False, **counts}}


def pod_of_job(job: Manifest) -> NewManifest:
    """A pod as the controller of Jobs would create it, for a dry run."""
    metadata, template = job["metadata"], job["spec"]["template"]
    name, uid = metadata["name"], metadata["uid"]
    own = template.get("metadata") or {}
    labels = {"controller-uid": uid, "job-name": name}
    labels |= {f"batch.kubernetes.io/{label}": value for label, value in labels.items()}
    index = {"batch.kubernetes.io/job-completion-index": "0"} if job["spec"].get("completionMode") == "Indexed" else {}
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": uid, "controller": True}
    about = {
        "name": f"{name[:_DRY_RUN_NAME_LENGTH]}-dry-run",
        "namespace": metadata["namespace"],
        "labels": {**(own.get("labels") or {}), **labels, **index},
        "annotations": {**(own.get("annotations") or {}), **index},
        "ownerReferences": [owner],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": template["spec"]}


def _sizes(annotations: Mapping[str, str]) -> range:
    """The sizes of its annotation; none without one, and for a text that is no range."""
    try:
        least, most = size_range(annotations)
    except (LookupError, ValueError):
        return range(0)
    return range(least, most + 1)


def _completions_follow(spec: Manifest, status: Manifest) -> bool:
    """Whether each pod is one completion. Otherwise completions are the work of the Job; a part may be done."""
    is_indexed = spec.get("completionMode") == "Indexed" and not (status.get("succeeded") or status.get("failed"))
    return is_indexed and spec.get("completions") == spec.get("parallelism", 1)
