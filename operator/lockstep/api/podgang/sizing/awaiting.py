"""The rules for all owners that wait for a size: which of them wait, and the patch that gives them a size."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.podgang.gang_annotations import SIZE
from lockstep.api.podgang.kueue import is_queued
from lockstep.api.podgang.made_gang import size_range
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.sizing.size_mark import marked, size_given_to

_DRY_RUN_NAME_LENGTH = 200


class NewSize(NamedTuple):
    """The new size of an owner that runs, and the size ``first`` with which it began.

    ``leaving`` names the pods that leave, if the owner's controller has to know them.
    """

    size: int
    first: int
    leaving: Sequence[str] = ()


def is_suspended_for_size(owner: Manifest, templates: Iterable[Section], *, in_queue: bool = False) -> bool:
    """Whether an owner is suspended, states a range of sizes, and names Lockstep in all templates of its pods.

    With ``in_queue``, the owner must be in a queue of Kueue. Without ``in_queue``, it must be in no queue. An owner
    that has its size does not wait: a user has suspended it after its start. Raises ``FieldError`` for an invalid
    template.
    """
    metadata = owner["metadata"]
    annotations = metadata.get("annotations") or {}
    is_asked = Section(owner).section("spec").has("suspend") and SIZE in annotations and not size_given_to(owner)
    if not is_asked or "deletionTimestamp" in metadata or is_queued(owner) != in_queue:
        return False
    return all(template.section("spec").text("schedulerName") == SCHEDULER_NAME for template in templates)


def asked_sizes(owner: Manifest) -> range:
    """The sizes in the owner's annotation; none without the annotation, or if it is not a range."""
    try:
        least, most = size_range(owner["metadata"].get("annotations") or {})
    except (LookupError, ValueError):
        return range(0)
    return range(least, most + 1)


def resuming(owner: Manifest, size: int, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that gives an owner its size and resumes it. It applies only to the version that was read."""
    return resized(owner, size, {"suspend": False, **numbers})


def resized(owner: Manifest, size: int, fields: Mapping[str, Any], *, first: int | None = None) -> dict[str, Any]:
    """The merge patch that gives an owner a size by these fields of its spec.

    It applies only to the version that was read. ``first`` is the number of pods with which the owner began; the patch
    marks the owner with it. Without ``first``, the owner begins with this size.
    """
    metadata = owner["metadata"]
    about = {
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
        "annotations": marked(owner, size, first=first),
    }
    return {"metadata": about, "spec": fields}


def pod_to_be(
    owner: Manifest, kind: tuple[str, str], template: Manifest, *, labels: Mapping[str, str], mark: str = ""
) -> NewManifest:
    """A pod of that template, for a dry run, as the owner's controller would create it. Its name contains ``mark``."""
    metadata, own = owner["metadata"], template.get("metadata") or {}
    api_version, name_of_kind = kind
    reference = {"apiVersion": api_version, "kind": name_of_kind, "name": metadata["name"], "uid": metadata["uid"]}
    about = {
        "name": f"{metadata['name'][:_DRY_RUN_NAME_LENGTH]}{mark}-dry-run",
        "namespace": metadata["namespace"],
        "labels": {**(own.get("labels") or {}), **labels},
        "annotations": dict(own.get("annotations") or {}),
        "ownerReferences": [{**reference, "controller": True}],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": template["spec"]}
