"""The shorthand of the hand-written CRDs, and what it stands for.

A schema may have one of these keys. What the key stands for takes its place, and the keys beside it are merged over
that as a JSON merge patch (RFC 7386: null removes).

- ``x-lockstep-generated-from: {schema, described}``: the API server's own schema of that name, bounded. Fields have
  descriptions so many levels below it: with all of them the CRD would not fit a client-side ``kubectl apply``.
- ``x-lockstep-duration: {min, max}``: a Go duration within these limits; with ``since``, the moment it counts from.
- ``x-lockstep-quantity: {min, max, examples}``: a quantity within these limits.
- ``x-lockstep-time: {}``: a point in time.
- ``x-lockstep-conditions: {TYPE: meaning when True}``: Kubernetes' standard conditions.
"""

from collections.abc import Callable, Mapping
from typing import Any

from crds.make.bounds import bounded
from crds.make.openapi import Schema, structural_schema

_GENERATED = "x-lockstep-generated-from"
_DURATION_LENGTH = 24
# Hours at most once and few digits: no string of this form and length overflows a Go duration, so duration() works.
_DURATION = "^([0-9]{1,6}([.][0-9]+)?h)?([0-9]{1,7}([.][0-9]+)?m)?([0-9]{1,9}([.][0-9]+)?(s|ms|us|µs))*$"


def expand(node: Any, schemas: Mapping[str, Schema], field: str = "") -> Any:
    """The node without shorthand. ``field`` is its name in the manifest; messages begin with it."""
    if isinstance(node, list):
        return [expand(one, schemas) for one in node]
    if not isinstance(node, dict):
        return node
    own = {key: expand(one, schemas, key) for key, one in node.items() if key not in _OURS}
    if _GENERATED in node:
        generated = node[_GENERATED]
        whole = merged(bounded(structural_schema(schemas, generated["schema"])), own)
        return _described(whole, generated["described"])
    used = next((key for key in node if key in _SHORTHAND), None)
    return own if used is None else merged(_SHORTHAND[used](field, node[used]), own)


def merged(target: Schema, patch: Schema) -> Schema:
    """RFC 7386, but that keys of the patch come where the target has them, else last."""
    result = dict(target)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


def _described(schema: Any, levels: int) -> Any:
    """The schema without the descriptions of fields that are more than so many levels below it."""
    if isinstance(schema, list):
        return [_described(one, levels) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _described(field, levels - 1) for name, field in one.items()}
        if key == "properties"
        else _described(one, levels)
        for key, one in schema.items()
        if levels >= 0 or key != "description"
    }


def _duration(field: str, limits: Mapping[str, str]) -> Schema:
    low, high = limits["min"], limits["max"]
    rule = (
        f"self != '' && self.matches('{_DURATION}')"
        f" && duration(self) >= duration('{low}') && duration(self) <= duration('{high}')"
    )
    counted = f", counted from {limits['since']}" if "since" in limits else ""
    message = f"{field} must be a Go duration from {low} to {high}, such as 90s or 1h30m{counted}."
    return {"type": "string", "maxLength": _DURATION_LENGTH, "x-kubernetes-validations": [_rule(rule, message)]}


def _quantity(field: str, limits: Mapping[str, str]) -> Schema:
    low, high = limits["min"], limits["max"]
    rule = (
        f"isQuantity(string(self)) && quantity(string(self)).compareTo(quantity('{low}')) >= 0"
        f" && quantity(string(self)).compareTo(quantity('{high}')) <= 0"
    )
    message = f"{field} must be a quantity from {low} to {high}, such as {limits['examples']}."
    return {
        "x-kubernetes-int-or-string": True,
        "maxLength": 32,
        "x-kubernetes-validations": [_rule(rule, message)],
    }


def _rule(rule: str, message: str) -> Schema:
    return {"rule": rule, "message": message, "reason": "FieldValueInvalid"}


def _time(_field: str, _limits: Mapping[str, str]) -> Schema:
    return {"type": "string", "format": "date-time", "maxLength": 64}


def _conditions(_field: str, meanings: Mapping[str, str]) -> Schema:
    listed = [f"{kind} is True when {meaning}." for kind, meaning in meanings.items()]
    return {
        "type": "array",
        "description": " ".join(["conditions are the state, in the form of all Kubernetes conditions.", *listed]),
        "maxItems": 16,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["type", "status", "lastTransitionTime", "reason", "message"],
            "properties": dict(_CONDITION),
        },
    }


_CONDITION: Schema = {
    "type": {
        "type": "string",
        "maxLength": 316,
        "pattern": "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
        "description": "type is what the condition is about.",
    },
    "status": {
        "type": "string",
        "enum": ["True", "False", "Unknown"],
        "description": "status is True, False or Unknown.",
    },
    "observedGeneration": {
        "type": "integer",
        "format": "int64",
        "minimum": 0,
        "maximum": 2**53 - 1,
        "description": "observedGeneration is the metadata.generation that the condition is about.",
    },
    "lastTransitionTime": {
        **_time("", {}),
        "description": "lastTransitionTime is when status last changed.",
    },
    "reason": {
        "type": "string",
        "minLength": 1,
        "maxLength": 1024,
        "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
        "description": "reason is one word, for programs, that says why the condition is as it is.",
    },
    "message": {
        "type": "string",
        "maxLength": 32768,
        "description": "message is a sentence, for people, that says why the condition is as it is.",
    },
}

_SHORTHAND: Mapping[str, Callable[[str, Mapping[str, str]], Schema]] = {
    "x-lockstep-duration": _duration,
    "x-lockstep-quantity": _quantity,
    "x-lockstep-time": _time,
    "x-lockstep-conditions": _conditions,
}

_OURS = frozenset({*_SHORTHAND, _GENERATED})
