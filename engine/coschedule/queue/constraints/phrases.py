"""Failed requirements as phrases that complete "3 nodes ...", in the format of kubectl's selectors.

Users may write many long keys and values. So a phrase shows only some of them and is cut.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from coschedule.queue.constraints.terms import NodeTerm, Requirement, Taint

_LONGEST = 120
_MOST = 3
_SIGNS = {"Gt": ">", "Lt": "<"}
_ONE_VALUE = {"In": "=", "NotIn": "!="}
_SEVERAL_VALUES = {"In": "in", "NotIn": "notin"}


def without_label(requirement: Requirement) -> str:
    """Return a phrase such as ``without gpu=a100`` or ``without the label gpu``.

    For other operators or several values, return a phrase such as ``outside its affinity zone in (a, b)``.
    """
    if requirement.operator == "Exists":
        return _cut(f"without the label {requirement.key}")
    if requirement.operator == "In" and len(requirement.values) == 1:
        return _cut(f"without {_formatted(requirement)}")
    return _cut(f"outside its affinity {_formatted(requirement)}")


def outside_affinity(terms: Sequence[NodeTerm]) -> str:
    """Return a phrase such as ``outside its affinity zone=a or disk=ssd,gpu``."""
    alternatives = (",".join(_some(_formatted_each(term))) for term in terms if term.labels or term.fields)
    return _cut(" ".join(["outside its affinity", " or ".join(_some(alternatives))]).strip())


def with_taint(taint: Taint) -> str:
    """Return a phrase such as ``with the untolerated taint gpu=a100:NoSchedule``."""
    return _cut(f"with the untolerated taint {taint.formatted}")


def _formatted(requirement: Requirement) -> str:
    key, operator, values = requirement
    if operator in _ONE_VALUE and len(values) == 1:
        return f"{key}{_ONE_VALUE[operator]}{values[0]}"
    if operator in _SEVERAL_VALUES:
        return f"{key} {_SEVERAL_VALUES[operator]} ({', '.join(_some(values))})"
    if operator in _SIGNS:
        return f"{key}{_SIGNS[operator]}{', '.join(_some(values))}"
    return f"!{key}" if operator == "DoesNotExist" else key


def _formatted_each(term: NodeTerm) -> Iterator[str]:
    yield from map(_formatted, term.labels)
    yield from map(_formatted, term.fields)


def _some(items: Iterable[str]) -> list[str]:
    listed = list(islice(items, _MOST + 1))
    return listed if len(listed) <= _MOST else [*listed[:_MOST], "…"]


def _cut(phrase: str) -> str:
    return phrase if len(phrase) <= _LONGEST else f"{phrase[: _LONGEST - 1]}…"
