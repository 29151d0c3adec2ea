"""The pod template of a Job as that of a GangJob."""

from typing import Any

from lockstep.answers.errors import AnswerError
from lockstep.answers.making.fields import Fields, Manifest
from lockstep.api.names import RANK_LABEL, SCHEDULER_NAME

_NOT_THE_OWNERS = (
    *("controller-uid", "job-name", "batch.kubernetes.io/", "jobset.sigs.k8s.io/"),
    "kubectl.kubernetes.io/last-applied-configuration",
)
_OURS = "lockstep.dev/"
_USUAL_SCHEDULERS = (SCHEDULER_NAME, "default-scheduler")
_INDEX = "JOB_COMPLETION_INDEX"


def template_of(job: Fields, *, is_indexed: bool) -> Manifest:
    """The template of a Job's spec; where ``is_indexed``, its members find their rank where a Job has their index."""
    template = job.take_fields("template")
    spec = template.take_fields("spec")
    scheduler = spec.take_text("schedulerName")
    if scheduler and scheduler not in _USUAL_SCHEDULERS:
        spec.note("schedulerName", "not carried over, since Lockstep places the members itself.")
    for name in ("hostname", "subdomain"):
        spec.leave(name, "not carried over, since members have names by which they find each other.")
    containers = {name: _containers(spec, name, is_indexed=is_indexed) for name in ("initContainers", "containers")}
    if not containers["containers"]:
        raise AnswerError(f"{spec.path} has no containers.")
    rest = spec.rest()
    metadata = labels_and_annotations(template.take_fields("metadata"))
    made = {"spec": {**rest, **{name: some for name, some in containers.items() if some}}}
    return {"metadata": metadata, **made} if metadata else made


def labels_and_annotations(metadata: Fields) -> Manifest:
    """Those of an object or a template that its owner has written, and a GangJob may have."""
    kept = {}
    for name in ("labels", "annotations"):
        entries = metadata.take_fields(name)
        for key in [key for key in entries.names if str(key).startswith(_NOT_THE_OWNERS)]:
            entries.take(key)
        if name == "labels":
            for key in [key for key in entries.names if str(key).startswith(_OURS)]:
                entries.leave(key, "not carried over, since Lockstep knows its members by such labels.")
        kept[name] = entries.rest()
    return {name: some for name, some in kept.items() if some}


def _containers(spec: Fields, name: str, *, is_indexed: bool) -> list[Any]:
    containers = spec.take_list(name)
    if any(not isinstance(one, dict) for one in containers):
        raise AnswerError(f"{spec.path}.{name} has an entry that is no object.")
    return [_with_index(one) for one in containers] if is_indexed else containers


def _with_index(container: Manifest) -> Manifest:
    """The container, which finds its member's rank in the variable that Jobs have for their index."""
    variables = container.get("env") or []
    if any(isinstance(one, dict) and one.get("name") == _INDEX for one in variables):
        return container
    rank = {"fieldRef": {"fieldPath": f"metadata.labels['{RANK_LABEL}']"}}
    return {**container, "env": [*variables, {"name": _INDEX, "valueFrom": rank}]}
