"""Reads from a file the objects that are to be planned."""

from collections.abc import Collection
from typing import Any

from lockstep.answers.reading.documents import read_objects
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.owner_kinds import CONFIG_MAP, GANG_SWEEP, REFUSED, TAKEN, ObjectKind, kind_of
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.section import FieldError, Section

_ONE_LINE = ", ".join(dict.fromkeys(one.kind for one in TAKEN))


def read_manifests(text: str, *, namespace: str) -> tuple[NewManifest, ...]:
    """Read the objects of a YAML or JSON file.

    Objects without a namespace get ``namespace``. Raises ``AnswerError``.
    """
    documents = list(read_objects(text))
    named = {_parameters_of(one) for one in documents}
    manifests = tuple(_object(document, namespace, named) for document in documents)
    if not manifests:
        raise AnswerError(f"The file is empty. These can be planned: {_ONE_LINE}.")
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


def _parameters_of(document: Any) -> str | None:
    """The name of the ConfigMap with the parameters of a sweep; None if there is none, or for other objects."""
    if not isinstance(document, dict) or kind_of(document) != GANG_SWEEP:
        return None
    try:
        return Section(document).section("spec").section("parametersFrom").text("configMap") or None
    except FieldError:
        # The API server will say why the sweep is invalid.
        return None


def _object(document: Any, namespace: str, parameters: Collection[str | None]) -> NewManifest:
    if not isinstance(document, dict):
        raise AnswerError("A document in the file is not an object of Kubernetes.")
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind, name = document.get("kind"), metadata.get("name")
    is_parameters = kind_of(document) == CONFIG_MAP and isinstance(name, str) and name in parameters
    if not is_parameters:
        _check_kind(document, name)
    if not isinstance(name, str) or not name:
        raise AnswerError(f"A {kind} in it has no name.")
    if not isinstance(metadata.get("namespace") or "", str):
        raise AnswerError(f"metadata.namespace of {kind} {name} is not a text.")
    if not is_parameters and not isinstance(document.get("spec"), dict):
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
