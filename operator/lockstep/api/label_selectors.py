"""Label selectors as lists of requirements. All of them must hold."""

from collections.abc import Mapping
from functools import lru_cache
from itertools import repeat
from operator import attrgetter

from coschedule import Requirement
from lockstep.api.label_demands import LabelDemands
from lockstep.api.manifest import Manifest
from lockstep.facts.pods.pod import LabelSelector

# Tenants may write selectors of any size. So the combined requirements of large ones are not cached.
_MOST_KEPT_VALUES = 100
_MOST_KEPT = 10_000

_values_of = attrgetter("values")


def parse_selector(selector: Manifest | None) -> LabelSelector | None:
    """The requirements of a label selector; None if there is no selector."""
    if selector is None:
        return None
    return _labels_required(selector.get("matchLabels") or {}) + tuple(
        Requirement(one["key"], one["operator"], tuple(one.get("values") or ()))
        for one in selector.get("matchExpressions") or ()
    )


def _labels_required(labels: Mapping[str, str]) -> LabelSelector:
    """One requirement for each label. There may be 100,000 labels, so the loop is not in Python."""
    keys = sorted(labels)
    values = zip(map(labels.__getitem__, keys), strict=True)
    return tuple(map(Requirement, keys, repeat("In"), values))


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    """Whether the labels match. None matches nothing, and an empty selector matches everything."""
    return selector is not None and demands_of(selector).pass_with(labels)


def demands_of(selector: LabelSelector) -> LabelDemands:
    """The combined requirements of a selector. A caller that tests many objects should keep the result."""
    return _kept(selector) if words_in(selector) <= _MOST_KEPT_VALUES else LabelDemands(selector)


def words_in(selector: LabelSelector | None) -> int:
    """The number of keys and values in a selector. There may be 100,000, so the loop is not in Python."""
    requirements = selector or ()
    return len(requirements) + sum(map(len, map(_values_of, requirements)))


@lru_cache(maxsize=_MOST_KEPT)
def _kept(selector: LabelSelector) -> LabelDemands:
    return LabelDemands(selector)
