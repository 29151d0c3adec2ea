"""What a CRD's schema says about the shape of a manifest: types, required and unknown fields, bounds and choices."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}


def faults(value: Any, schema: Schema, path: str = "") -> Iterator[str]:
    """Every way in which a value breaks its schema, each with the path of the field. CEL rules are not asked."""
    if schema.get("x-kubernetes-int-or-string"):
        if not isinstance(value, int | str):
            yield f"{path} is neither a number nor a string"
        return
    kind = schema.get("type")
    if kind and not isinstance(value, _TYPES[kind]):
        yield f"{path} is not of type {kind}"
        return
    yield from _bounds(value, schema, path)
    if isinstance(value, dict):
        yield from _fields(value, schema, path)
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from faults(item, schema.get("items", {}), f"{path}[{number}]")


def _fields(value: Mapping[str, Any], schema: Schema, path: str) -> Iterator[str]:
    properties, others = schema.get("properties", {}), schema.get("additionalProperties")
    yield from (f"{path}.{name} is missing" for name in schema.get("required", ()) if name not in value)
    for name, one in value.items():
        below = properties.get(name, others)
        if below is not None:
            yield from faults(one, below, f"{path}.{name}")
        elif properties:
            yield f"{path}.{name} is unknown"


def _bounds(value: Any, schema: Schema, path: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path} is none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{path} does not match {schema['pattern']}"
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{path} is out of its bounds"
    if isinstance(value, str | list) and len(value) < schema.get("minLength", schema.get("minItems", 0)):
        yield f"{path} is too short"
