"""Suspended Jobs whose annotation has a range of sizes: how they are read, and how they get a size."""

from typing import Any

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import SIZED_ANNOTATION
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.sizing.awaiting import is_suspended_for_size, pod_to_be, resuming


def job_awaits_size(job: Manifest) -> bool:
    """Whether the Job waits for a size."""
    return is_suspended_for_size(job, [Section(job).section("spec").section("template")])


def job_with_size(job: Manifest, size: int) -> dict[str, Any]:
    """The merge patch that gives the Job its size and resumes it, if it is as it was read.

    If each pod is one completion, the Job gets as many completions as pods.
    """
    follow = _completions_follow(job["spec"], job.get("status") or {})
    completions = {"completions": size} if follow else {}
    return resuming(job, size, {"parallelism": size, **completions, **_mark(job)})


def pod_of_job(job: Manifest) -> NewManifest:
    """A pod as the controller of Jobs would create it, for a dry run."""
    name, uid = job["metadata"]["name"], job["metadata"]["uid"]
    labels = {"controller-uid": uid, "job-name": name}
    labels |= {f"batch.kubernetes.io/{label}": value for label, value in labels.items()}
    index = {"batch.kubernetes.io/job-completion-index": "0"} if job["spec"].get("completionMode") == "Indexed" else {}
    pod = pod_to_be(job, ("batch/v1", "Job"), job["spec"]["template"], labels={**labels, **index})
    pod["metadata"]["annotations"] |= index
    return pod


def _mark(job: Manifest) -> dict[str, Any]:
    """By this annotation, pods of the Job belong to it, whatever PodGroup it has.

    The template of a Job that has run before can't change. If it has no mark then, its PodGroup counts.
    """
    if (job.get("status") or {}).get("startTime"):
        return {}
    return {"template": {"metadata": {"annotations": {SIZED_ANNOTATION: "true"}}}}


def _completions_follow(spec: Manifest, status: Manifest) -> bool:
    """Whether each pod is one completion. Otherwise completions are the work of the Job; a part may be done."""
    is_indexed = spec.get("completionMode") == "Indexed" and not (status.get("succeeded") or status.get("failed"))
    return is_indexed and spec.get("completions") == spec.get("parallelism", 1)
