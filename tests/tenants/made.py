"""The objects of shapes as JSON: they are made once, and priced twice."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from tenants.shapes import Shape
from tenants.together import Group

Manifest = Mapping[str, Any]


class Made(NamedTuple):
    """A shape and its objects as JSON.

    As Python objects they would take ten times the memory, all of which the garbage collector would go through.
    """

    shape: Shape
    texts: Sequence[bytes]


def made_of(group: Group) -> list[Made]:
    """The objects of each shape of a group; their names differ from those of the other shapes."""
    ends = [f"-of-{number}" if len(group) > 1 else "" for number in range(len(group))]
    return [
        Made(shape, [orjson.dumps(_renamed(one, end)) for one in shape.make()])
        for shape, end in zip(group, ends, strict=True)
    ]


def _renamed(manifest: Manifest, end: str) -> Manifest:
    metadata = manifest["metadata"]
    return {**manifest, "metadata": {**metadata, **{part: metadata[part] + end for part in ("name", "uid")}}}
