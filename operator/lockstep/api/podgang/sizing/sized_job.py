"""Jobs whose annotation has a range of sizes: how they get a size, and how they get another size while they run."""

from typing import Any

from lockstep.api.conditions import has_condition
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import SIZED_ANNOTATION
from lockstep.api.podgang.gang_annotations import ELASTIC
from lockstep.api.podgang.kueue import COMPLETIONS_EQUAL, LEAST_PARALLELISM, is_queued
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.single_pods import controller_of
from lockstep.api.podgang.sizing.awaiting import (
    NewSize,
    asked_sizes,
    is_suspended_for_size,
    pod_to_be,
    resized,
    resuming,
)
from lockstep.api.podgang.sizing.size_mark import has_size
from lockstep.facts.gang.source import Source

_OWN_CONTROLLER = "kubernetes.io/job-controller"


def job_awaits_size(job: Manifest) -> bool:
    """Whether the Job waits for a size and has not ended.

    A suspended Job can end: a Job that asks for no completions does so.
    """
    return not _has_ended(job) and is_suspended_for_size(job, [Section(job).section("spec").section("template")])


def _has_ended(job: Manifest) -> bool:
    return any(has_condition(job.get("status") or {}, ending) for ending in ("Complete", "Failed"))


def job_sizes(job: Manifest) -> range:
    """The sizes of its range that the Job can have.

    A suspended Job gets at most one pod for each completion that is left: a larger gang would never get all of its
    pods. If the completions change together with the number of pods, this limit does not apply.
    """
    asked = asked_sizes(job)
    if not job["spec"].get("suspend") or _completions_follow(job["spec"], job.get("status") or {}):
        return asked
    return range(asked.start, min(asked.stop, OWNERS[Source.JOB].left(job) + 1))


def job_with_size(job: Manifest, size: int) -> dict[str, Any]:
    """The merge patch that gives the Job its size and resumes it. It applies only to the version that was read.

    If each pod is one completion, the Job gets as many completions as pods.
    """
    follow = _completions_follow(job["spec"], job.get("status") or {})
    completions = {"completions": size} if follow else {}
    return resuming(job, size, {"parallelism": size, **completions, **_mark(job)})


def queued_job_awaits_size(job: Manifest) -> bool:
    """Whether the Job waits for a size in a queue of Kueue: it has never run, and no other object manages it.

    Kueue follows changes of the Job's number of pods until Kueue gives quota to these pods. Then Kueue resumes the Job.
    """
    is_others = controller_of(job["metadata"]) or (job.get("status") or {}).get("startTime")
    return not (is_others or _has_ended(job)) and is_suspended_for_size(
        job, [Section(job).section("spec").section("template")], in_queue=True
    )


def queued_job_with_size(job: Manifest, size: int) -> dict[str, Any]:
    """The merge patch that gives a Job in a queue its size.

    The patch applies only to the version that was read. Kueue resumes the Job. With less quota, Kueue admits fewer
    pods, but not fewer than the Job's range allows, or than the user has stated.
    """
    follow, least = _completions_follow(job["spec"], job.get("status") or {}), asked_sizes(job)[0]
    patch = resized(job, size, {"parallelism": size, **({"completions": size} if follow else {})})
    # Kueue requires that the least number is below the parallelism.
    if least < size and LEAST_PARALLELISM not in job["metadata"]["annotations"]:
        equal = {COMPLETIONS_EQUAL: "true"} if follow else {}
        patch["metadata"]["annotations"] |= {LEAST_PARALLELISM: str(least), **equal}
    return patch


def running_pods_of_job(job: Manifest, *, is_ending: bool = False) -> int:
    """The number of pods of a running Job, if the operator has given it this number and may change it; otherwise 0.

    Each pod must be one completion. None may have succeeded, unless the Job ``is_ending``: indexes that have succeeded
    are not made again. A Job keeps its size if others manage it, or if another user has changed its number of pods.
    """
    metadata, spec, status = job["metadata"], job["spec"], job.get("status") or {}
    pods = int(spec.get("parallelism", 1))
    runs = not (spec.get("suspend") or "deletionTimestamp" in metadata or status.get("failedIndexes"))
    is_others = is_queued(job) or controller_of(metadata) or spec.get("managedBy", _OWN_CONTROLLER) != _OWN_CONTROLLER
    is_equal = spec.get("completionMode") == "Indexed" and spec.get("completions") == pods
    is_begun = is_ending or not status.get("succeeded")
    return pods if has_size(job, pods) and runs and not is_others and is_equal and is_begun else 0


def job_resized(job: Manifest, to: NewSize) -> dict[str, Any]:
    """The merge patch that gives a running Job another size. The pods with the highest indexes come or go.

    It applies only to the version of the Job that was read.
    """
    return resized(job, to.size, {"parallelism": to.size, "completions": to.size}, first=to.first)


def job_problem(job: Manifest) -> str:
    """A clause that says why a Job that waits for a size can't be obeyed; '' if it can."""
    is_elastic = ELASTIC in (job["metadata"].get("annotations") or {})
    if is_elastic and not _completions_follow(job["spec"], job.get("status") or {}):
        return f"annotation {ELASTIC}: only an Indexed Job with as many completions as pods may change its size"
    if asked_sizes(job) and not job_sizes(job):
        return (
            f"its range begins at {asked_sizes(job)[0]} pods, which its completions do not allow: "
            "write more completions, or completionMode: Indexed and as many completions as parallelism"
        )
    return ""


def pod_of_job(job: Manifest) -> NewManifest:
    """A pod, for a dry run, as the Job controller would create it."""
    name, uid = job["metadata"]["name"], job["metadata"]["uid"]
    labels = {"controller-uid": uid, "job-name": name}
    labels |= {f"batch.kubernetes.io/{label}": value for label, value in labels.items()}
    index = {"batch.kubernetes.io/job-completion-index": "0"} if job["spec"].get("completionMode") == "Indexed" else {}
    pod = pod_to_be(job, ("batch/v1", "Job"), job["spec"]["template"], labels={**labels, **index})
    pod["metadata"]["annotations"] |= index
    return pod


def _mark(job: Manifest) -> dict[str, Any]:
    """The annotation by which pods belong to the Gang of their Job, whatever PodGroup the Job has.

    If the Job has run before, its template can't change, and there is no annotation. Without it, the PodGroup counts.
    """
    if (job.get("status") or {}).get("startTime"):
        return {}
    return {"template": {"metadata": {"annotations": {SIZED_ANNOTATION: "true"}}}}


def _completions_follow(spec: Manifest, status: Manifest) -> bool:
    """Whether each pod is one completion, so that completions change together with the number of pods.

    False if the completions are the amount of the Job's work, or if a pod has ended already.
    """
    is_indexed = spec.get("completionMode") == "Indexed" and not (status.get("succeeded") or status.get("failed"))
    return is_indexed and spec.get("completions") == spec.get("parallelism", 1)
