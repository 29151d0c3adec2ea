"""Manifests as text: what is copied into a template keeps its comments and its order."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

_TOP_LEVEL_KEY = re.compile(r"^(?=[a-zA-Z])", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One document of a file: what it says, and its text by its outermost keys; ``comment`` stands above them."""

    content: dict[str, Any]
    comment: str
    sections: dict[str, str]

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.content["kind"])

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.content["metadata"]["name"])


def manifests(text: str) -> Iterator[Manifest]:
    """The documents of a file, in its order."""
    for document in text.split("\n---\n"):
        comment, *parts = _TOP_LEVEL_KEY.split(document.strip("\n") + "\n")
        sections = {part.partition(":")[0]: part for part in parts}
        yield Manifest(content=yaml.load(document, Loader=yaml.CSafeLoader), comment=comment, sections=sections)


def literal(text: str) -> str:
    """A text of which a template makes just this text."""
    return text.replace("{{", '{{ "{{" }}')
