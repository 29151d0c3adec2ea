"""Bounds for what the API server's OpenAPI leaves unbounded.

Numbers and names: none is below what the API server takes in a pod, but for the grace period. Lists, maps and texts:
what real templates never meet and nonsense does. Of 1,254 pods in public manifests the largest had 68 variables, 18
arguments, 12 volumes, 9 containers and 4 tolerations, and 100 entries in all its lists together; a bound is several
times as much. Bounds also keep rules on the items of a list within the cost that a rule may have.
"""

from collections.abc import Mapping

from crds.make.openapi import Schema

_LARGEST_INT32 = 2**31 - 1
_LARGEST_EXACT = 2**53 - 1  # JSON numbers beyond it lose digits
_ID = (0, _LARGEST_INT32)

_INTEGERS: Mapping[str, tuple[int, int]] = {
    "activeDeadlineSeconds": (1, _LARGEST_INT32),
    "terminationGracePeriodSeconds": (-_LARGEST_EXACT, 3_600),  # negative counts as 1; docs/security.md has why
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
_TEXT_LENGTH = 4_096  # bytes in a path, the longest of what is named here
_ARGUMENT_LENGTH = 131_072  # bytes that Linux takes in one argument or variable
_ANNOTATION_LENGTH = 262_144  # bytes that the API server takes in all annotations of an object
_LENGTHS: Mapping[str, int] = {
    "annotations": _ANNOTATION_LENGTH,
    "userAnnotations": _ANNOTATION_LENGTH,
    "args": _ARGUMENT_LENGTH,
    "command": _ARGUMENT_LENGTH,
    "value": _ARGUMENT_LENGTH,
    "gmsaCredentialSpec": 65_536,
    "labels": _LABEL_LENGTH,
    "matchLabels": _LABEL_LENGTH,
    "nodeSelector": _LABEL_LENGTH,
}
_LIST_LENGTH = 100  # also of lists that later versions of Kubernetes add
_LIST_LENGTHS: Mapping[str, int] = {
    "env": 1_000,
    "args": 1_000,
    "command": 1_000,
    "values": 1_000,
    "items": 1_000,
    "supplementalGroups": 1_000,
    "hostAliases": 250,
    "ports": 250,
    "volumes": 250,
    "volumeDevices": 250,
    "volumeMounts": 250,
    "namespaces": 250,
    "nodeSelectorTerms": 250,
    "preferredDuringSchedulingIgnoredDuringExecution": 250,
    "requiredDuringSchedulingIgnoredDuringExecution": 250,
    "containers": 50,
    "initContainers": 50,
    "monitors": 50,
    "portals": 50,
}
_MAP_LENGTH = 250


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
