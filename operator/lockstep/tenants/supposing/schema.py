"""Checks a value against a schema of the API server, since no API server has validated a supposed object.

Rules in CEL are not checked, and fields that the schema does not have are ignored.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

Schema = Mapping[str, Any]

_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}


def violation(schema: Schema, value: Any, path: str) -> str:
    """A clause that names the first field that breaks the schema and says what is wrong; '' if there is none."""
    return next(_violations(schema, value, path), "")


def _violations(schema: Schema, value: Any, path: str) -> Iterator[str]:
    if value is None and schema.get("nullable"):
        return
    if not _has_type(schema, value):
        yield f"{path} is not of the type {schema.get('type', 'number or text')}"
        return
    if isinstance(value, str):
        yield from _of_text(schema, value, path)
    elif isinstance(value, int | float):
        yield from _of_number(schema, value, path)
    elif isinstance(value, list):
        yield from _of_size(len(value), schema.get("minItems", 0), schema.get("maxItems"), path)
        for number, one in enumerate(value):
            yield from _violations(schema.get("items", {}), one, f"{path}[{number}]")
    elif isinstance(value, dict):
        yield from _of_object(schema, value, path)


def _has_type(schema: Schema, value: Any) -> bool:
    if schema.get("x-kubernetes-int-or-string"):
        return isinstance(value, int | str) and not isinstance(value, bool)
    kind = schema.get("type")
    return kind is None or (isinstance(value, _TYPES[kind]) and (kind == "boolean") == isinstance(value, bool))


def _of_text(schema: Schema, text: str, path: str) -> Iterator[str]:
    yield from _of_size(len(text), schema.get("minLength", 0), schema.get("maxLength"), path)
    if "pattern" in schema and not re.search(schema["pattern"], text):
        yield f"{path} does not match {schema['pattern']}"
    if "enum" in schema and text not in schema["enum"]:
        yield f"{path} is none of {', '.join(map(str, schema['enum']))}"


def _of_number(schema: Schema, number: float, path: str) -> Iterator[str]:
    if not schema.get("minimum", number) <= number <= schema.get("maximum", number):
        bounds = (("minimum", "at least"), ("maximum", "at most"))
        wanted = (f"{words} {schema[name]}" for name, words in bounds if name in schema)
        yield f"{path} must be {' and '.join(wanted)}"


def _of_object(schema: Schema, value: Mapping[str, Any], path: str) -> Iterator[str]:
    yield from _of_size(len(value), 0, schema.get("maxProperties"), path)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{path} has no {name}"
    fields, each = schema.get("properties", {}), schema.get("additionalProperties")
    for name, one in value.items():
        if name in fields:
            yield from _violations(fields[name], one, f"{path}.{name}")
        elif isinstance(each, dict):
            yield from _violations(each, one, f"{path}.{name[:64]}")


def _of_size(size: int, least: int, most: int | None, path: str) -> Iterator[str]:
    if size < least or (most is not None and size > most):
        allowed = f"{least} or more" if most is None else f"{least} to {most}"
        yield f"{path} has {size} entries or characters, and may have {allowed}"
