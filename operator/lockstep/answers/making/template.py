"""Converts the pod template of a Job to the pod template of a GangJob."""

from typing import Any

from lockstep.answers.making.fields import Fields
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.manifest import NewManifest
from lockstep.api.names import RANK_LABEL, SCHEDULER_NAME

_NOT_THE_OWNERS = (
    *("controller-uid", "job-name", "batch.kubernetes.io/", "jobset.sigs.k8s.io/"),
    "kubectl.kubernetes.io/last-applied-configuration",
)
_OURS = "lockstep.dev/"
_USUAL_SCHEDULERS = (SCHEDULER_NAME, "default-scheduler")
_INDEX = "JOB_COMPLETION_INDEX"
_SERVERS_OWN = (
    *("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"),
    *("deletionTimestamp", "deletionGracePeriodSeconds"),
)
_OF_JOBS = ("batch.kubernetes.io/", "jobset.sigs.k8s.io/")

RANK: NewManifest = {"valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{RANK_LABEL}']"}}}
"""The source of an environment variable with the rank of a member, in a gang without roles."""

ROLE_RANK: NewManifest = {"value": "$(LOCKSTEP_ROLE_RANK)"}
"""The source of an environment variable with the number of a member in its role."""


def template_of(job: Fields, *, index: NewManifest | None) -> NewManifest:
    """The template of a GangJob, made from a Job's spec.

    In Indexed Jobs, an environment variable has the pod's index. ``index`` is its new source; None for other Jobs.
    """
    template = job.take_fields("template")
    spec = template.take_fields("spec")
    scheduler = spec.take_text("schedulerName")
    if scheduler and scheduler not in _USUAL_SCHEDULERS:
        spec.note("schedulerName", "not carried over, since Lockstep places the members itself.")
    for name in ("hostname", "subdomain"):
        spec.leave(name, "not carried over, since members have names by which they find each other.")
    containers = {name: _containers(spec, name, index) for name in ("initContainers", "containers")}
    if not containers["containers"]:
        raise AnswerError(f"{spec.path} has no containers.")
    rest = spec.rest()
    metadata = labels_and_annotations(template.take_fields("metadata"))
    made = {"spec": {**rest, **{name: some for name, some in containers.items() if some}}}
    return {"metadata": metadata, **made} if metadata else made


def labels_and_annotations(metadata: Fields) -> NewManifest:
    """The labels and annotations that users have written and that a GangJob may have."""
    for name in _SERVERS_OWN:
        metadata.take(name)
    kept = {}
    for name in ("labels", "annotations"):
        entries = metadata.take_fields(name)
        for key in [key for key in entries.names if str(key).startswith(_NOT_THE_OWNERS)]:
            entries.take(key)
        if name == "labels":
            for key in [key for key in entries.names if str(key).startswith(_OURS)]:
                entries.leave(key, "not carried over, since Lockstep identifies members by its own labels.")
        kept[name] = entries.rest()
    return {name: some for name, some in kept.items() if some}


def _containers(spec: Fields, name: str, index: NewManifest | None) -> list[Any]:
    containers = spec.take_list(name)
    if any(not isinstance(one, dict) for one in containers):
        raise AnswerError(f"{spec.path}.{name} has an entry that is not an object.")
    for number, container in enumerate(containers):
        _note_what_jobs_have(spec, f"{name}[{number}]", container)
    return containers if index is None else [_with_index(one, index) for one in containers]


def _note_what_jobs_have(spec: Fields, place: str, container: NewManifest) -> None:
    """Note each variable that reads a label or an annotation of Jobs, since it will be empty in members."""
    for variable in _variables(container):
        source = variable.get("valueFrom")
        reads = source.get("fieldRef") if isinstance(source, dict) else None
        path = str(reads.get("fieldPath")) if isinstance(reads, dict) else ""
        if any(of_jobs in path for of_jobs in _OF_JOBS):
            spec.note(f"{place}.env", f"{variable.get('name')} is empty, since members don't have {path}.")


def _with_index(container: NewManifest, index: NewManifest) -> NewManifest:
    """The container with the variable that has the index in Jobs, unless the container sets that variable itself."""
    if any(one.get("name") == _INDEX for one in _variables(container)):
        return container
    return {**container, "env": [*(container.get("env") or []), {"name": _INDEX, **index}]}


def _variables(container: NewManifest) -> list[NewManifest]:
    variables = container.get("env")
    return [one for one in variables if isinstance(one, dict)] if isinstance(variables, list) else []
