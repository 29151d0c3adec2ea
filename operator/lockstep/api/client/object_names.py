"""Names of objects in paths. Users write some of these names, for example in ``spec.after``.

The API server allows no name with a slash or a percent sign, and neither ``.`` nor ``..``.
"""

from urllib.parse import quote

_IN_NAMES = ":@!$&'()*+,;="
_NO_NAMES = frozenset(("", ".", ".."))


def segment(name: str) -> str:
    """The name as one segment of a path. Whatever the name contains, the path leads to no other object."""
    return quote(name, safe=_IN_NAMES)


def may_exist(path: str) -> bool:
    """Whether all segments of a path may be names of objects.

    If not, no object has the path, and a request is not needed.
    """
    return "%" not in path and _NO_NAMES.isdisjoint(path.split("/")[1:])
