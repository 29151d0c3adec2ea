"""From a schema of the API server's OpenAPI to the structural schema that a CRD needs.

References are resolved and what a CRD may not say is left out. Of each description the first sentence stays: with all
of them the CRD would not fit a client-side `kubectl apply`.
"""

import re
from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

_PREFIX = "#/components/schemas/"
# A number with a fraction, such as cpu: 0.5, is a quantity too. A schema that lets it through has no type, and rules
# can't look at what has none: what is refused here is refused by these bounds alone. No node has a quadrillion of
# anything, and an exponent beyond 18 is no quantity that Kubernetes can hold.
_DIGITS = 15
_QUANTITY: Schema = {
    "x-kubernetes-preserve-unknown-fields": True,
    "minimum": 0,
    "maximum": 10**_DIGITS - 1,
    "maxLength": 64,
    "pattern": (
        rf"^\s*[+]?(0*[0-9]{{1,{_DIGITS}}}([.][0-9]*)?|[.][0-9]+)"
        r"([KMGTPE]i|[numkMGTPE]|[eE]([+]?0*(1[0-8]|[0-9])|-[0-9]{1,2}))?\s*$"
    ),
    "maxItems": 0,
    "maxProperties": 0,
    "not": {"enum": [True, False, [], {}]},
}
_LEAVES = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": _QUANTITY,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"x-kubernetes-int-or-string": True, "maxLength": 253},
}
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
# What a Job's template may have: labels and annotations, and what `kubectl create job --dry-run` and exports leave
# there, which Jobs ignore and so do we.
_EMBEDDED_METADATA = ("labels", "annotations", "name", "generateName", "namespace", "creationTimestamp")
_NULLABLE = ("creationTimestamp",)
# Lists whose keys the API server's OpenAPI calls unique, and whose repetitions it accepts in a Job's template.
_REPEATING = ("env", "ports", "imagePullSecrets", "hostAliases")
_LIST_TYPE, _LIST_KEYS = "x-kubernetes-list-type", "x-kubernetes-list-map-keys"
# A list without a type is atomic too, so an atomic one does not say it: most lists are.
_ATOMIC = "atomic"
_KEPT_EXTENSIONS = (_LIST_TYPE, _LIST_KEYS, "x-kubernetes-map-type")
_KEPT = ("type", "format", "enum", "required", *_KEPT_EXTENSIONS)
# A sentence ends before a capital, a quote or the end of the text. "e.g." and its like don't end one, and
# "Required." alone says nothing.
_FIRST_SENTENCE = re.compile(r"(.{16,}?(?<!e\.g)(?<!i\.e)(?<!etc)[.!?])(?=\s+[A-Z\"'`]|\s*\n|\s*$)", re.DOTALL)
_ENUM_VALUES = "Possible enum values:"


def structural_schema(schemas: Mapping[str, Schema], name: str) -> Schema:
    """The schema of that name as a CRD may have it.

    ``schemas`` is ``components.schemas`` of an OpenAPI v3 document; KeyError if it lacks one that is referred to.
    A schema that contains itself has no structural form: RecursionError.
    """
    return _structural({"$ref": _PREFIX + name}, schemas)


def _structural(node: Schema, schemas: Mapping[str, Schema]) -> Schema:
    name, flat = _flattened(node, schemas)
    described: Schema = {"description": _first_sentence(flat["description"])} if "description" in flat else {}
    if name in _LEAVES:
        return described | _LEAVES[name]
    result = described | {key: flat[key] for key in _KEPT if key in flat}
    if result.get(_LIST_TYPE) == _ATOMIC:
        del result[_LIST_TYPE]
    if "enum" in result:
        # Spelt out but empty means absent, in the API server's own kinds.
        result["enum"] = [*(value for value in result["enum"] if value), ""]
    if "properties" in flat:
        kept = _EMBEDDED_METADATA if name == _OBJECT_META else flat["properties"]
        result["properties"] = {field: _field(field, flat["properties"][field], schemas) for field in kept}
    if "additionalProperties" in flat:
        result["additionalProperties"] = _structural(flat["additionalProperties"], schemas)
    if "items" in flat:
        result["items"] = _items(flat, schemas)
    return result


def _field(name: str, node: Schema, schemas: Mapping[str, Schema]) -> Schema:
    if name in _REPEATING and node.get(_LIST_TYPE) == "map":
        node = {key: value for key, value in node.items() if key not in (_LIST_TYPE, _LIST_KEYS)}
    result = _structural(node, schemas)
    return result | {"nullable": True} if name in _NULLABLE else result


def _flattened(node: Schema, schemas: Mapping[str, Schema]) -> tuple[str, Schema]:
    """The name of the schema that the node refers to, if any, and its content with the node's own keys over it."""
    references = [node, *node.get("allOf", ())]
    name = next((one["$ref"].removeprefix(_PREFIX) for one in references if "$ref" in one), "")
    return name, {**(schemas[name] if name else {}), **node}


def _items(array: Schema, schemas: Mapping[str, Schema]) -> Schema:
    """The schema of the array's items.

    A key of a map-list that may be absent keeps its default: a structural schema demands one. No other default is kept,
    so that an object stays as it was written.
    """
    items = _structural(array["items"], schemas)
    items.pop("description", None)
    _, flat = _flattened(array["items"], schemas)
    for key in array.get(_LIST_KEYS, ()):
        if key not in items.get("required", ()):
            items["properties"][key]["default"] = flat["properties"][key]["default"]
    return items


def _first_sentence(text: str) -> str:
    prose, _, _ = text.partition(_ENUM_VALUES)
    found = _FIRST_SENTENCE.match(prose)
    return " ".join((found[1] if found else prose).split())
