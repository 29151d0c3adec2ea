"""Odd objects that follow a schema of the API server's: legal as far as types go, unusual in everything else."""

import copy
import random
from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

_PREFIX = "#/components/schemas/"
_DEEPEST = 6
_OTHER_FIELD_SHARE = 0.4
_STOP_SHARE = 0.15
_SPARED = frozenset({"apiVersion", "kind", "metadata", "status"})

_QUANTITIES = ("0", "1", "-1", "0.1n", "100m", "1e3", "8Ei", "1e30", "9300000000000000", "1e1000", "0.5", "1Ki", 7, 0)
_TIMES = (
    "2026-11-20T18:00:00Z",
    "2026-11-20t18:00:00z",
    "2026-11-20T18:00:00.123456789Z",
    "2020-01-01T00:00:00+99:00",
    "2126-01-01T00:00:00-99:59",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
)
_TEXTS = (
    "",
    "x",
    "odd-1",
    "zone",
    "a.b/c",
    "A" * 64,
    "é",
    "9" * 30,
    "-5",
    "1h",
    "NoSchedule",
    "NoExecute",
    "Exists",
    "Equal",
    "In",
    "Gt",
    "Always",
    "Never",
    "Running",
    "Dreaming",
    "True",
    "Bound",
    "Pieces",
    "kubernetes.io/hostname",
)
_NUMBERS = (0, 1, 2, -1, 80, 10_000, 2**31 - 1, 2**53, 2**63 - 1)


class OddObjects:
    """Makes them from ``components.schemas`` of an OpenAPI v3 document; the same for the same seed."""

    def __init__(self, schemas: Mapping[str, Schema], seed: int) -> None:
        self._schemas = schemas
        self._rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets

    def changed(self, manifest: Mapping[str, Any], schema: str) -> dict[str, Any]:
        """The manifest with one to three odd values in its spec, or whatever it has in its place."""
        result = copy.deepcopy(dict(manifest))
        properties = self._schemas[schema]["properties"]
        for _ in range(self._rnd.randint(1, 3)):
            field = self._rnd.choice([name for name in properties if name not in _SPARED])
            result[field] = self._change(result.get(field), properties[field], 1)
        return result

    def status(self, before: Any, schema: str) -> Any:
        """A status of that kind with an odd value, or another one altogether."""
        return self._change(copy.deepcopy(before), self._schemas[schema]["properties"]["status"], 0)

    def _change(self, node: Any, schema: Schema, depth: int) -> Any:
        schema = self._flat(schema)
        properties = schema.get("properties")
        if isinstance(node, dict) and node and properties and self._rnd.random() > _STOP_SHARE:
            known = [name for name in node if name in properties]
            others = self._rnd.random() < _OTHER_FIELD_SHARE or not known
            field = self._rnd.choice(list(properties) if others else known)
            return {**node, field: self._change(node.get(field), properties[field], depth + 1)}
        if isinstance(node, list) and node and "items" in schema and self._rnd.random() > _STOP_SHARE:
            number = self._rnd.randrange(len(node))
            return [*node[:number], self._change(node[number], schema["items"], depth + 1), *node[number + 1 :]]
        return self._value(schema, depth)

    def _value(self, schema: Schema, depth: int) -> Any:
        schema = self._flat(schema)
        kind = schema.get("type")
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            length = 0 if depth > _DEEPEST else self._rnd.randint(0, 2)
            return [self._value(schema["items"], depth + 1) for _ in range(length)]
        return self._rnd.choice(_choices(schema))

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        optional = [] if depth > _DEEPEST else [name for name in properties if self._rnd.random() < 1 / 4]
        fields = {*schema.get("required", ()), *optional}
        made = {name: self._value(properties[name], depth + 1) for name in sorted(fields) if name in properties}
        if isinstance(schema.get("additionalProperties"), Mapping):
            for _ in range(self._rnd.randint(0, 2)):
                made[self._rnd.choice(_TEXTS) or "cpu"] = self._value(schema["additionalProperties"], depth + 1)
        return made

    def _flat(self, schema: Schema) -> Schema:
        """The schema itself where it stands behind a reference; quantities and the like have no type then."""
        for part in schema.get("allOf") or ():
            schema = {**schema, **part}
        if "$ref" not in schema:
            return schema
        target = self._flat(self._schemas[schema["$ref"].removeprefix(_PREFIX)])
        name = schema["$ref"].rsplit(".", 1)[-1]
        return {} if name in ("Quantity", "IntOrString") else target


def _choices(schema: Schema) -> Sequence[Any]:
    """What a value of a simple type may be."""
    if schema.get("enum"):
        return tuple(schema["enum"])
    kind = schema.get("type")
    if kind in ("integer", "number"):
        bounds = [schema[bound] for bound in ("minimum", "maximum") if bound in schema]
        return [*_NUMBERS, *bounds, *bounds]
    if kind == "string":
        return _TIMES if schema.get("format") == "date-time" else _TEXTS
    return (False, True) if kind == "boolean" else _QUANTITIES
