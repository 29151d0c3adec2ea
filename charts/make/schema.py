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
    properties = _GLOBAL | {value.path[-1]: _schema_of(value, written) for value in values}
    document = {"$schema": _DIALECT, "title": "Values of the chart lockstep", **_closed(properties)}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _schema_of(value: Value, written: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    if value.inner:
        return _closed({one.path[-1]: _schema_of(one, written) for one in value.inner})
    return {"description": value.description, **(written.get(value.name) or _schema_of_default(value))}


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _schema_of_default(value: Value) -> dict[str, Any]:
    if isinstance(value.default, bool):
        return {"type": "boolean"}
    if isinstance(value.default, str):
        return {"type": "string"}
    raise ValueError(f"schema.yaml has to say what {value.name} may be: its default does not.")
