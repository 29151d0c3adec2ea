"""Bounds for what the API server's OpenAPI leaves unbounded.

They are wide: Kubernetes' own validation of the pods is stricter. They keep a GangJob from growing without limit, and
the cost of the rules on it.
"""

from collections.abc import Mapping

from crds.make.openapi import Schema

_LARGEST_INT32 = 2**31 - 1
_LARGEST_EXACT = 2**53 - 1  # JSON numbers beyond it lose digits

_INTEGERS: Mapping[str, tuple[int, int]] = {
    "containerPort": (1, 65_535),
    "hostPort": (0, 65_535),
    "port": (1, 65_535),
    "mode": (0, 0o777),
    "defaultMode": (0, 0o777),
    "weight": (1, 100),
    "priority": (-_LARGEST_INT32 - 1, _LARGEST_INT32),
    "tolerationSeconds": (-_LARGEST_EXACT, _LARGEST_EXACT),
}
_NAME_LENGTH = 253
_LABEL_LENGTH = 63
_TEXT_LENGTH = 4_096
_SCRIPT_LENGTH = 131_072  # the longest argument that Linux takes
_LENGTHS: Mapping[str, int] = {
    "args": _SCRIPT_LENGTH,
    "command": _SCRIPT_LENGTH,
    "value": _SCRIPT_LENGTH,
    "annotations": _SCRIPT_LENGTH,
    "labels": _LABEL_LENGTH,
    "matchLabels": _LABEL_LENGTH,
    "nodeSelector": _LABEL_LENGTH,
    "name": _NAME_LENGTH,
}
_LIST_LENGTH = 128
_LIST_LENGTHS: Mapping[str, int] = {"args": 1_024, "command": 1_024, "env": 1_024, "values": 1_024}
_MAP_LENGTH = 128


def bounded(schema: Schema, field: str = "") -> Schema:
    """The schema of the field of that name, with a bound wherever it has none.

    The items of a list and the values of a map go by the name of the field that holds them.
    """
    result = _own_bounds(schema, field) | schema
    if "properties" in schema:
        result["properties"] = {name: bounded(one, name) for name, one in schema["properties"].items()}
    for nested in ("items", "additionalProperties"):
        if nested in schema:
            result[nested] = bounded(schema[nested], field)
    return result


def _own_bounds(schema: Schema, field: str) -> Schema:
    kind = schema.get("type")
    if kind == "integer":
        largest = _LARGEST_INT32 if schema.get("format") == "int32" else _LARGEST_EXACT
        low, high = _INTEGERS.get(field, (0, largest))
        return {"minimum": low, "maximum": high}
    if kind == "string" and "enum" not in schema:
        return {"maxLength": _LENGTHS.get(field, _TEXT_LENGTH)}
    if kind == "array":
        return {"maxItems": _LIST_LENGTHS.get(field, _LIST_LENGTH)}
    if "additionalProperties" in schema:
        return {"maxProperties": _MAP_LENGTH}
    return {}
