"""Specs of GangJobs that are as large as one wants at one place: for every place that the schema bounds."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

Schema = Mapping[str, Any]
Spec = dict[str, Any]

_CRD = Path(__file__).parents[2] / "crds/gangjobs.yaml"
_LEAST = {"object": {}, "string": "x", "array": []}


class Bound(NamedTuple):
    """A place that may have ``most`` entries or characters; ``spec`` is one with so many there, and nothing else."""

    path: str
    most: int
    spec: Callable[[int], Spec]


def bounds() -> list[Bound]:
    """Every bound of a list, a map or a text in the spec of a GangJob."""
    [version] = yaml.load(_CRD.read_text(), yaml.CSafeLoader)["spec"]["versions"]
    return [*_bounds("", version["schema"]["openAPIV3Schema"]["properties"]["spec"], lambda value: value)]


def _bounds(path: str, schema: Schema, around: Callable[[Any], Spec]) -> Iterator[Bound]:
    """The bounds of a schema and below it; ``around`` makes a spec of a value for it."""
    if schema.get("type") == "string" and "maxLength" in schema:
        yield Bound(path, schema["maxLength"], lambda size: around("x" * size))
    if "items" in schema:
        entry = _least(schema["items"])
        yield Bound(path, schema["maxItems"], lambda size: around([entry] * size))
        yield from _bounds(f"{path}[0]", schema["items"], lambda value: around([value]))
    if "additionalProperties" in schema:
        value = _least(schema["additionalProperties"])
        yield Bound(path, schema["maxProperties"], lambda size: around({f"k{key}": value for key in range(size)}))
        yield from _bounds(f"{path}[k0]", schema["additionalProperties"], lambda value: around({"k0": value}))
    for name, one in schema.get("properties", {}).items():
        yield from _bounds(f"{path}.{name}".removeprefix("."), one, _in_field(name, around))


def _in_field(name: str, around: Callable[[Any], Spec]) -> Callable[[Any], Spec]:
    return lambda value: around({name: value})


def _least(schema: Schema) -> Any:
    """Something of the schema's type."""
    return _LEAST.get(schema.get("type", ""), 1)
