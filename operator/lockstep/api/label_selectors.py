"""Label selectors, as requirements all of which have to hold."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from coschedule import LabelTest, Requirement, label_test
from lockstep.facts.pods.pod import LabelSelector

Manifest = Mapping[str, Any]
Tests = tuple[tuple[str, LabelTest], ...]
"""By the key of a label, what its value has to pass."""

# Selectors are anybody's, and of any size: of large ones no test is kept.
_MOST_KEPT_VALUES = 100
_MOST_KEPT = 10_000


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
    return selector is not None and all(test(labels.get(key)) for key, test in tests_of(selector))


def tests_of(selector: LabelSelector) -> Tests:
    """The tests that labels have to pass. A caller that tests many labels keeps them."""
    return _kept(selector) if words_in(selector) <= _MOST_KEPT_VALUES else _tests(selector)


def words_in(selector: LabelSelector | None) -> int:
    """How many keys and values a selector names."""
    return sum(1 + len(requirement.values) for requirement in selector or ())


@lru_cache(maxsize=_MOST_KEPT)
def _kept(selector: LabelSelector) -> Tests:
    return _tests(selector)


def _tests(selector: LabelSelector) -> Tests:
    return tuple((requirement.key, _test(requirement)) for requirement in selector)


def _test(requirement: Requirement) -> LabelTest:
    """The test of one requirement; of many values none is looked at but the one that is asked for."""
    values = frozenset(requirement.values)
    if requirement.operator == "In" and values:
        return lambda value: value in values
    if requirement.operator == "NotIn" and values:
        return lambda value: value not in values
    return label_test(requirement)
