"""Parts that a hand-written CRD has from another one, so that both have one source.

A node may have one of these keys. The part takes its place, and the keys beside it are merged over that, as for other
shorthand. Nothing that is shared keeps an object from changing. So rules about changes stay behind, and so does the
word "Immutable" at the end of a description.

- ``x-lockstep-field: {of: KIND, path: spec.work}``: a field with all that is in it.
- ``x-lockstep-columns: {of: KIND}``: the columns that kubectl prints; there is nothing to merge over these.
"""

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from crds.make.openapi import Schema
from crds.make.shorthand import merged

_FIELD = "x-lockstep-field"
_COLUMNS = "x-lockstep-columns"
_RULES = "x-kubernetes-validations"
_BEFORE = "oldSelf"
_IMMUTABLE = " Immutable."

Written = Callable[[str], Mapping[str, Any]]
"""The hand-written CRD of a kind, by the kind's plural."""


def with_shared(node: Any, written: Written) -> Any:
    """The node with what it has from other CRDs; that may have other shorthand, but nothing shared."""
    if isinstance(node, list):
        return [with_shared(one, written) for one in node]
    if not isinstance(node, dict):
        return node
    if _COLUMNS in node:
        return _version(written(node[_COLUMNS]["of"]))["additionalPrinterColumns"]
    own = {key: with_shared(one, written) for key, one in node.items() if key != _FIELD}
    if _FIELD not in node:
        return own
    return merged(_changeable(_field(written(node[_FIELD]["of"]), node[_FIELD]["path"])), own)


def _field(definition: Mapping[str, Any], path: str) -> Schema:
    schema: Schema = _version(definition)["schema"]["openAPIV3Schema"]
    return reduce(lambda found, name: found["properties"][name], path.split("."), schema)


def _version(definition: Mapping[str, Any]) -> dict[str, Any]:
    [version] = definition["spec"]["versions"]
    return dict(version)


def _changeable(node: Any) -> Any:
    """The node without what keeps an object from changing."""
    if isinstance(node, list):
        return [_changeable(one) for one in node]
    if isinstance(node, str):
        return node.removesuffix(_IMMUTABLE)
    if not isinstance(node, dict):
        return node
    kept = {key: _changeable(one) for key, one in node.items() if key != _RULES}
    rules = [one for one in node.get(_RULES, ()) if _BEFORE not in one["rule"]]
    return {**kept, _RULES: rules} if rules else kept
