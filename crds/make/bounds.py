"""Bounds for what the API server's OpenAPI leaves unbounded.

None is below what the API server takes in a pod. Where it has no bound of its own, what etcd takes in one object bounds
what can be in one; lists and maps are bounded so that rules on their items stay within the cost that a rule may have.
"""

from collections.abc import Mapping

from crds.make.openapi import Schema

_LARGEST_INT32 = 2**31 - 1
_LARGEST_EXACT = 2**53 - 1  # JSON numbers beyond it lose digits
_ID = (0, _LARGEST_INT32)

_INTEGERS: Mapping[str, tuple[int, int]] = {
    "activeDeadlineSeconds": (1, _LARGEST_INT32),
    "terminationGracePeriodSeconds": (-_LARGEST_EXACT, _LARGEST_EXACT),  # negative counts as 1
    "runAsUser": _ID,
    "runAsGroup": _ID,
    "fsGroup": _ID,
    "supplementalGroups": _ID,
    "maxSkew": (1, _LARGEST_INT32),
    "containerPort": (1, 65_535),
    "hostPort": (0, 65_535),
    "port": (1, 65_535),
    "mode": (0, 0o777),
    "defaultMode": (0, 0o777),
    "weight": (1, 100),
    "priority": (-_LARGEST_INT32 - 1, _LARGEST_INT32),
    "tolerationSeconds": (-_LARGEST_EXACT, _LARGEST_EXACT),
}
_LABEL_LENGTH = 63
_TEXT_LENGTH = 1_572_864  # bytes that etcd takes in one object
_LENGTHS: Mapping[str, int] = {
    "annotations": 262_144,
    "labels": _LABEL_LENGTH,
    "matchLabels": _LABEL_LENGTH,
    "nodeSelector": _LABEL_LENGTH,
}
_LIST_LENGTH = 100_000
_MAP_LENGTH = 10_000


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
        return {"maxItems": _LIST_LENGTH}
    if "additionalProperties" in schema:
        return {"maxProperties": _MAP_LENGTH}
    return {}
