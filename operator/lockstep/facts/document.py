"""Parts of objects that Lockstep only passes on, as compact JSON: nested Python objects take ten times the memory."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from weakref import WeakValueDictionary

import orjson

_CANONICAL = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Document:
    """A JSON object as bytes. Its keys are sorted, so documents are equal if the objects are.

    Thousands of gangs share few templates: all documents with the same bytes are one object.
    """

    json: bytes

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "Document":
        """The document of that object. Raises ValueError if the object can't be written as JSON."""
        try:
            document = cls(_compact(orjson.dumps(manifest, option=_CANONICAL)))
        except orjson.JSONEncodeError as error:
            raise ValueError(f"it can't be written as JSON: {error}") from error
        return _KNOWN.setdefault(document.json, document)

    def decoded(self) -> dict[str, Any]:
        """The object, a new one at each call. It is large, so callers should not keep it."""
        decoded: dict[str, Any] = orjson.loads(self.json)
        return decoded


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTemplate:
    """The pod template of a role as a document, and the fields of it that are read often.

    ``grace_seconds`` and ``active_deadline_seconds`` are as written; None if they are missing.
    """

    document: Document
    labels: tuple[tuple[str, str], ...] = ()
    priority_class: str = ""
    grace_seconds: int | None = None
    active_deadline_seconds: int | None = None

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Self:
        """The template of that manifest. Raises ValueError if it can't be written as JSON."""
        spec = manifest.get("spec") or {}
        return cls(
            document=Document.of(manifest),
            labels=tuple(((manifest.get("metadata") or {}).get("labels") or {}).items()),
            priority_class=spec.get("priorityClassName") or "",
            grace_seconds=spec.get("terminationGracePeriodSeconds"),
            active_deadline_seconds=spec.get("activeDeadlineSeconds"),
        )


def _compact(encoded: bytes) -> bytes:
    """An equal text without spare memory: the encoder allocates up to 30 times the length of the text."""
    return bytes(memoryview(encoded))


_KNOWN: WeakValueDictionary[bytes, Document] = WeakValueDictionary()
