"""Combines the requirements of label selectors by label.

A selector may have thousands of requirements. Once they are combined, an object is tested only by the labels that it
has.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from coschedule import Requirement


class LabelDemand:
    """The combined requirements on one label: its value must be in ``among``, and must not be in ``outside``.

    ``among`` is None if any value passes. ``outside`` is None if no value is excluded.
    """

    __slots__ = ("among", "is_forbidden", "is_required", "outside")

    def __init__(self) -> None:
        self.is_required = self.is_forbidden = False
        self.among: set[str] | None = None
        self.outside: set[str] | None = None

    def add(self, operator: str, values: tuple[str, ...]) -> None:
        """Add a requirement. If the API server would refuse it in a label selector, no object passes."""
        if operator == "NotIn" and values:
            self.outside = self.outside or set()
            self.outside.update(values)
        elif operator == "DoesNotExist" and not values:
            self.is_forbidden = True
        else:
            self.is_required = True
            if operator != "Exists" or values:
                allowed = values if operator == "In" else ()
                self.among = set(allowed) if self.among is None else self.among.intersection(allowed)

    def passes(self, value: str | None) -> bool:
        """Whether an object with this value passes. None means an object without the label."""
        if value is None:
            return not self.is_required
        if self.is_forbidden or (self.among is not None and value not in self.among):
            return False
        return self.outside is None or value not in self.outside


class LabelDemands:
    """The combined requirements on all labels of an object: ``of[key]`` for each label. All of them must hold."""

    __slots__ = ("_required", "of")

    def __init__(self, requirements: Iterable[Requirement]) -> None:
        of = defaultdict[str, LabelDemand](LabelDemand)
        for key, operator, values in requirements:
            of[key].add(operator, values)
        self.of: Mapping[str, LabelDemand] = dict(of)
        self._required = sum(demand.is_required for demand in of.values())

    def need_other_than(self, keys: AbstractSet[str]) -> bool:
        """Whether a label with another key is required. Then an object that has only labels with these keys fails."""
        return sum(self.of[key].is_required for key in self.of.keys() & keys) < self._required

    def pass_with(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels passes. The cost grows with the smaller of the two sets of labels."""
        if len(self.of) <= len(labels):
            return all(demand.passes(labels.get(key)) for key, demand in self.of.items())
        known = self.of.keys() & labels.keys()
        return not self.need_other_than(known) and all(self.of[key].passes(labels[key]) for key in known)
