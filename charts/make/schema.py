"""values.schema.json: what values.yaml has and nothing else, with the types that its defaults and schema.yaml say."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from charts.make.values import Value, leaves

_HAND_WRITTEN = Path(__file__).parent / "schema.yaml"
_DIALECT = "http://json-schema.org/draft-07/schema#"
# Helm adds it to the values of every chart, for subcharts.
_GLOBAL = {"global": {"type": "object", "description": "Not used: values that Helm hands to every chart."}}


def schema(values: tuple[Value, ...]) -> str:
    """The text of the schema; raises ``ValueError`` where the hand-written part names what is not there."""
    written: dict[str, Mapping[str, Any]] = yaml.safe_load(_HAND_WRITTEN.read_text())["values"]
    if unknown := written.keys() - {value.name for value in leaves(values)}:
        raise ValueError(f"schema.yaml names values that values.yaml does not have: {', '.join(sorted(unknown))}.")
    document = {"$schema": _DIALECT, "title": "Values of the chart lockstep", **_closed(values, written)}
    document["properties"] = _GLOBAL | document["properties"]
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _schema_of(value: Value, written: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if value.inner:
        return _closed(value.inner, written)
    return {"description": value.description, **(written.get(value.name) or _schema_of_default(value))}


def _closed(values: tuple[Value, ...], written: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Only keys that are known; by ``null`` Helm leaves a key out, which the templates bear where it may be empty."""
    properties = {value.path[-1]: _schema_of(value, written) for value in values}
    required = [value.path[-1] for value in values if _is_needed(value, properties[value.path[-1]])]
    needs = {"required": required} if required else {}
    return {"type": "object", "additionalProperties": False, **needs, "properties": properties}


def _is_needed(value: Value, its_schema: Mapping[str, Any]) -> bool:
    is_scalar = isinstance(value.default, str | int | float)
    return bool(value.inner) or (is_scalar and value.default != "" and "null" not in its_schema.get("type", ()))


def _schema_of_default(value: Value) -> dict[str, Any]:
    if isinstance(value.default, bool):
        return {"type": "boolean"}
    if isinstance(value.default, str):
        return {"type": "string"}
    raise ValueError(f"schema.yaml has to say what {value.name} may be: its default does not.")
