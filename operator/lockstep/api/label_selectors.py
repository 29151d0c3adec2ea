"""Label selectors, as requirements all of which have to hold."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from coschedule import LabelTest, Requirement, label_test
from lockstep.facts.pod import LabelSelector

Manifest = Mapping[str, Any]


def parse_selector(selector: Manifest | None) -> LabelSelector | None:
    """A label selector; None for none."""
    if selector is None:
        return None
    labels = tuple(
        Requirement(key, "In", (value,)) for key, value in sorted((selector.get("matchLabels") or {}).items())
    )
    return labels + tuple(
        Requirement(one["key"], one["operator"], tuple(one.get("values") or ()))
        for one in selector.get("matchExpressions") or ()
    )


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether the labels match; no selector matches nothing, an empty one everything."""
    return selector is not None and all(test(labels.get(key)) for key, test in _tests(selector))


@lru_cache(maxsize=10_000)
def _tests(selector: LabelSelector) -> tuple[tuple[str, LabelTest], ...]:
    return tuple((requirement.key, label_test(requirement)) for requirement in selector)
