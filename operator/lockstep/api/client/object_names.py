"""Names of objects in paths. Tenants write some of them, such as those in ``spec.after``.

The API server allows no name with a slash or a percent sign, and neither ``.`` nor ``..``.
"""

from urllib.parse import quote

_IN_NAMES = ":@!$&'()*+,;="
_NO_NAMES = frozenset(("", ".", ".."))


def segment(name: str) -> str:
    """The name as one segment of a path: whatever is written in it, it leads to no other object."""
    return quote(name, safe=_IN_NAMES)


def may_exist(path: str) -> bool:
    """Whether all segments of a path may be names of objects; if not, nothing is there, and no request is needed."""
    return "%" not in path and _NO_NAMES.isdisjoint(path.split("/")[1:])
