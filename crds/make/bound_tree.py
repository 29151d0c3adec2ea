"""The bounds of a schema alone, for the operator: objects that were stored before a bound was drawn lie beyond it.

A text's bound is its number of characters. A list's or a map's is ``{"most": entries, "each": bounds}``, an object's
``{"fields": {name: bounds}}``. What has no bounds inside is left out.
"""

import json
from typing import Any

from crds.make.openapi import Schema

Bounds = int | dict[str, Any] | None


def bound_tree(schema: Schema) -> Bounds:
    """The bounds of a schema; None where it has none."""
    nested = schema.get("items") or schema.get("additionalProperties")
    if nested is not None:
        each = bound_tree(nested)
        most = {"most": schema["maxItems" if "items" in schema else "maxProperties"]}
        return most if each is None else {**most, "each": each}
    if "properties" in schema:
        found = {name: bound_tree(one) for name, one in schema["properties"].items()}
        fields = {name: bounds for name, bounds in found.items() if bounds is not None}
        return {"fields": fields} if fields else None
    return schema.get("maxLength") if schema.get("type") == "string" else None


def as_json(definition: Schema) -> str:
    """The bounds of the spec of a CRD."""
    [version] = definition["spec"]["versions"]
    spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return json.dumps(bound_tree(spec), indent=1) + "\n"
