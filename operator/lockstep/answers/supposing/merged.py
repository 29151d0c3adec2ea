"""Merges a patch into an object, like a strategic merge patch of a pod."""

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.api.manifest import Manifest

# The lists whose entries are merged by a key. A patch replaces all other lists.
_NAMED_BY = {
    "containers": "name",
    "env": "name",
    "imagePullSecrets": "name",
    "initContainers": "name",
    "volumeMounts": "mountPath",
    "volumes": "name",
}


def merged(before: Manifest, patch: Manifest) -> dict[str, Any]:
    """A copy of ``before``, with the values of ``patch``. A null in ``patch`` removes a field."""
    result = dict(before)
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _value(name, result.get(name), value)
    return result


def _value(name: str, before: object, patch: object) -> object:
    if isinstance(before, Mapping) and isinstance(patch, Mapping):
        return merged(before, patch)
    if name in _NAMED_BY and isinstance(before, list) and isinstance(patch, list):
        return _entries(before, patch, _NAMED_BY[name])
    return patch


def _entries(before: Sequence[Any], patch: Sequence[Any], named_by: str) -> list[Any]:
    """The entries of both lists. Entries with the same key are merged."""
    result = list(before)
    for one in patch:
        index = next((index for index, other in enumerate(result) if _is_same(one, other, named_by)), None)
        if index is None:
            result.append(one)
        else:
            result[index] = merged(result[index], one)
    return result


def _is_same(one: object, other: object, named_by: str) -> bool:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return False
    return named_by in one and one[named_by] == other.get(named_by)
