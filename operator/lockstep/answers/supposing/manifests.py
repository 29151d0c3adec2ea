"""Reads from a file the objects that are to be planned."""

from typing import Any

from lockstep.answers.reading.documents import read_objects
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.owner_kinds import REFUSED, TAKEN, WITHOUT_PODS, ObjectKind, kind_of
from lockstep.api.manifest import Manifest, NewManifest

_ONE_LINE = ", ".join(dict.fromkeys(one.kind for one in TAKEN))


def read_manifests(text: str, *, namespace: str) -> tuple[NewManifest, ...]:
    """Read the objects of a YAML or JSON file, of which at least one has pods.

    Objects without a namespace get ``namespace``. Raises ``AnswerError``.
    """
    manifests = tuple(_object(document, namespace) for document in read_objects(text))
    if not manifests:
        raise AnswerError(f"The file is empty. These can be planned: {_ONE_LINE}.")
    if all(kind_of(one) in WITHOUT_PODS for one in manifests):
        raise AnswerError(f"No object in the file has pods. These can be planned: {_ONE_LINE}.")
    seen = set[tuple[ObjectKind, str]]()
    for one in manifests:
        names = (kind_of(one), full_name(one))
        if names in seen:
            raise AnswerError(f"{one['kind']} {full_name(one)} is in the file twice.")
        seen.add(names)
    return manifests


def called(manifest: Manifest) -> str:
    """The kind and the name of an object, for messages."""
    return f"{manifest['kind']} {manifest['metadata']['name']}"


def full_name(manifest: Manifest) -> str:
    """The namespace and the name of an object, for messages."""
    return f"{manifest['metadata']['namespace']}/{manifest['metadata']['name']}"


def _object(document: Any, namespace: str) -> NewManifest:
    if not isinstance(document, dict):
        raise AnswerError("A document in the file is not an object of Kubernetes.")
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind, name = document.get("kind"), metadata.get("name")
    has_pods = kind_of(document) not in WITHOUT_PODS
    if has_pods:
        _check_kind(document, name)
    if not isinstance(name, str) or not name:
        raise AnswerError(f"A {kind} in it has no name.")
    if not isinstance(metadata.get("namespace") or "", str):
        raise AnswerError(f"metadata.namespace of {kind} {name} is not a text.")
    if has_pods and not isinstance(document.get("spec"), dict):
        raise AnswerError(f"{kind} {name} has no spec.")
    return {**document, "metadata": {**metadata, "namespace": metadata.get("namespace") or namespace}}


def _check_kind(document: Manifest, name: object) -> None:
    kind = document.get("kind")
    api_version = document.get("apiVersion")
    if (api_version, kind) in TAKEN:
        return
    object_called = f"{kind} {name}" if kind and name else kind or "An object without a kind"
    versions = [one.api_version for one in TAKEN if one.kind == kind]
    if versions:
        raise AnswerError(f"{object_called} is in the file, and only a {kind} of {versions[0]} can be planned.")
    why = next((why for one, why in REFUSED.items() if one == (api_version, kind)), "Lockstep does not know its pods")
    raise AnswerError(f"{object_called} is in the file: {why}. These can be planned: {_ONE_LINE}.")
