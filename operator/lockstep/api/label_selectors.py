"""Label selectors as lists of requirements, all of which must hold."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import repeat

from coschedule import LabelTest, Requirement, label_test
from lockstep.api.manifest import Manifest
from lockstep.facts.pods.pod import LabelSelector

Tests = tuple[tuple[str, LabelTest], ...]
"""Pairs of a label key and the test of its value."""

# Tenants may write selectors of any size, so tests of large ones are not kept.
_MOST_KEPT_VALUES = 100
_MOST_KEPT = 10_000


def parse_selector(selector: Manifest | None) -> LabelSelector | None:
    """The requirements of a label selector; None for none."""
    if selector is None:
        return None
    return _labels_required(selector.get("matchLabels") or {}) + tuple(
        Requirement(one["key"], one["operator"], tuple(one.get("values") or ()))
        for one in selector.get("matchExpressions") or ()
    )


def _labels_required(labels: Mapping[str, str]) -> LabelSelector:
    """One requirement for each label. There may be 100,000, so the loop is not written in Python."""
    keys = sorted(labels)
    values = zip(map(labels.__getitem__, keys), strict=True)
    return tuple(map(Requirement, keys, repeat("In"), values))


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether the labels match; None matches nothing, an empty selector matches everything."""
    return selector is not None and all(test(labels.get(key)) for key, test in tests_of(selector))


def tests_of(selector: LabelSelector) -> Tests:
    """The tests of a selector. A caller that tests many labels should keep them."""
    return _kept(selector) if words_in(selector) <= _MOST_KEPT_VALUES else _tests(selector)


def words_in(selector: LabelSelector | None) -> int:
    """The number of keys and values in a selector."""
    return sum(1 + len(requirement.values) for requirement in selector or ())


@lru_cache(maxsize=_MOST_KEPT)
def _kept(selector: LabelSelector) -> Tests:
    return _tests(selector)


def _tests(selector: LabelSelector) -> Tests:
    return tuple((requirement.key, _test(requirement)) for requirement in selector)


def _test(requirement: Requirement) -> LabelTest:
    """The test of one requirement; its cost does not grow with the number of values."""
    values = frozenset(requirement.values)
    if requirement.operator == "In" and values:
        return lambda value: value in values
    if requirement.operator == "NotIn" and values:
        return lambda value: value not in values
    return label_test(requirement)
