"""Reads the GangJobs of a file."""

from collections.abc import Mapping
from typing import Any

from lockstep.answers.reading.documents import read_documents
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.manifest import NewManifest
from lockstep.api.names import API_VERSION, GANG_KIND, POD_GANG_KIND


def read_gangs(text: str, *, namespace: str) -> tuple[NewManifest, ...]:
    """Read the GangJobs of a YAML or JSON file; ``namespace`` is for those without one. Raises ``AnswerError``."""
    gangs = tuple(_gang(document, namespace) for document in read_documents(text))
    if not gangs:
        raise AnswerError("There is no GangJob in it.")
    names = [(gang["metadata"]["namespace"], gang["metadata"]["name"]) for gang in gangs]
    for name in names:
        if names.count(name) > 1:
            raise AnswerError(f"GangJob {'/'.join(name)} is in it twice.")
    return gangs


def _gang(document: Any, namespace: str) -> NewManifest:
    if not isinstance(document, dict):
        raise AnswerError("A document in it is no object of Kubernetes.")
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kind, name = document.get("kind"), metadata.get("name")
    if (document.get("apiVersion"), kind) == (API_VERSION, POD_GANG_KIND):
        raise AnswerError(f"Gang {name} is in it: a Gang is planned with its pods, which are not there yet.")
    if (document.get("apiVersion"), kind) != (API_VERSION, GANG_KIND):
        raise AnswerError(f"{_called(document, name)} is in it, and only GangJobs of {API_VERSION} can be planned.")
    if not isinstance(name, str) or not name:
        raise AnswerError("A GangJob in it has no name.")
    if not isinstance(metadata.get("namespace") or "", str):
        raise AnswerError(f"metadata.namespace of GangJob {name} is not a text.")
    if not isinstance(document.get("spec"), dict):
        raise AnswerError(f"GangJob {name} has no spec.")
    return {**document, "metadata": {**metadata, "namespace": metadata.get("namespace") or namespace}}


def _called(document: Mapping[str, Any], name: object) -> str:
    kind = document.get("kind") or "An object without a kind"
    return f"{kind} {name}" if name else str(kind)
