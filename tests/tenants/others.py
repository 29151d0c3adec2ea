"""The largest pods, claims, quotas and budgets that a tenant can have: what Kubernetes itself bounds in bytes only."""

from collections.abc import Iterator, Mapping
from typing import Any

from builders.served import metadata
from lockstep.api.names import MEMBER_OF_LABEL, SCHEDULER_NAME
from tenants.schema import Field, Schema, fields, spec_of
from tenants.shapes import GROUP, NAMESPACE, Objects, Shape, shapes_of

Manifest = Mapping[str, Any]

MEMBER = "member"
"""How the names of fields begin of pods that wait for a Gang."""
_POD, _CLAIM = "spec.template.spec", "spec.volumeClaimTemplates[].spec"
_UNBOUNDED = 1_000_000
_TEXT: Schema = {"type": "string", "maxLength": 63}
_LABELS: Schema = {"properties": {"labels": {"additionalProperties": _TEXT, "maxProperties": _UNBOUNDED}}}
_SCOPE: Schema = {
    "scopeName": {"type": "string", "enum": ["PriorityClass"]},
    "operator": {"type": "string", "enum": ["NotIn"]},
    "values": {"items": _TEXT, "maxItems": _UNBOUNDED},
}
_QUOTA: Schema = {
    "properties": {
        "hard": {
            "additionalProperties": {"type": "string", "pattern": "1Gi", "maxLength": 9},
            "maxProperties": _UNBOUNDED,
        },
        "scopes": {"items": {"type": "string", "enum": ["NotBestEffort"]}, "maxItems": _UNBOUNDED},
        "scopeSelector": {
            "properties": {
                "matchExpressions": {
                    "items": {"properties": _SCOPE},
                    "maxItems": _UNBOUNDED,
                }
            }
        },
    }
}


def shapes_of_others() -> Iterator[Shape]:
    """Objects of every kind but our own that a tenant writes."""
    spec = spec_of("gangjobs")["properties"]
    template, claim = (
        spec["template"]["properties"]["spec"],
        spec["volumeClaimTemplates"]["items"]["properties"]["spec"],
    )
    selector = claim["properties"]["selector"]
    yield from _of("pods", _unbounded(template), _POD, _pods)
    yield from _of("pods", _LABELS, "metadata", _pods)
    for shape in _of("pods", _unbounded(template), _POD, _members):
        yield shape._replace(field=f"{MEMBER}.{shape.field}")
    yield from _of("persistentvolumeclaims", _unbounded(claim), _CLAIM, _claims)
    yield from _of("persistentvolumeclaims", _LABELS, "metadata", _claims)
    yield from _of("resourcequotas", _QUOTA, "quota", _quotas)
    yield from _of("poddisruptionbudgets", _unbounded({"properties": {"selector": selector}}), "budget", _budgets)


def _of(plural: str, schema: Schema, path: str, objects: Objects) -> Iterator[Shape]:
    for field in fields(schema, path):
        for shape in shapes_of(plural, field, objects):
            yield shape._replace(field=shape.field.replace(path, "spec", 1) if path in (_POD, _CLAIM) else shape.field)


def _unbounded(schema: Schema) -> Schema:
    """The schema with no bound on its lists and maps but that on the bytes of an object."""
    result = dict(schema)
    if "properties" in schema:
        result["properties"] = {name: _unbounded(one) for name, one in schema["properties"].items()}
    for nested, bound in (("items", "maxItems"), ("additionalProperties", "maxProperties")):
        if nested in schema:
            result |= {nested: _unbounded(schema[nested]), bound: _UNBOUNDED}
    return result


def _pods(field: Field, value: Manifest, count: int) -> list[Manifest]:
    spec = {"nodeName": "n000", "containers": [{"name": "main", "image": "x"}]}
    return [
        {**_object(field, value, {**spec, **_in_spec(field, value)}, number), "status": {"phase": "Running"}}
        for number in range(count)
    ]


def _members(field: Field, value: Manifest, count: int) -> list[Manifest]:
    """Pods of a Gang that wait for nodes."""
    spec = {"schedulerName": SCHEDULER_NAME, "containers": [{"name": "main", "image": "x"}], **value}
    pods = [{**_object(field, {}, spec, number), "status": {"phase": "Pending"}} for number in range(count)]
    return [{**pod, "metadata": {**pod["metadata"], "labels": {MEMBER_OF_LABEL: GROUP}}} for pod in pods]


def _claims(field: Field, value: Manifest, count: int) -> list[Manifest]:
    """Claims as they are named that a gang of the tenant's would keep."""
    wish = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return [_object(field, value, {**wish, **_in_spec(field, value)}, number) for number in range(count)]


def _quotas(field: Field, value: Manifest, count: int) -> list[Manifest]:
    hard = value.get("hard", {"pods": "9000"})
    status = {"hard": hard, "used": dict.fromkeys(hard, "0")}
    return [{**_object(field, value, value, number), "status": status} for number in range(count)]


def _budgets(field: Field, value: Manifest, count: int) -> list[Manifest]:
    status = {"disruptionsAllowed": 1, "observedGeneration": 1}
    return [{**_object(field, value, value, number), "status": status} for number in range(count)]


def _object(field: Field, value: Manifest, spec: Manifest, number: int) -> Manifest:
    named = metadata(f"poison-{number}", namespace=NAMESPACE, generation=1)
    return {"metadata": {**named, **(value if field.path.startswith("metadata") else {})}, "spec": spec}


def _in_spec(field: Field, value: Manifest) -> Manifest:
    return {} if field.path.startswith("metadata") else value
