"""The namespaces, by name, with their labels: a pod may choose by these whose pods it keeps away."""

from collections.abc import Callable, Mapping

from lockstep.api.label_selectors import tests_of
from lockstep.facts.cluster import NamespaceFact
from lockstep.facts.pod import LabelSelector

_MOST_REMEMBERED = 1_000


class Namespaces(dict[str, Mapping[str, str]]):
    """The labels of each namespace; changed by :meth:`apply` and :meth:`remove` only."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed
        self._chosen: dict[LabelSelector, frozenset[str]] = {}

    def apply(self, fact: NamespaceFact) -> None:
        """A namespace is there, or its labels have changed."""
        if self.get(fact.name) != fact.labels:
            self[fact.name] = fact.labels
            self._chosen.clear()
            self._changed()

    def remove(self, name: str) -> None:
        """A namespace is gone, and with it all that was in it, which is news of its own."""
        self.pop(name, None)
        self._chosen.clear()

    def chosen_by(self, selector: LabelSelector) -> frozenset[str]:
        """The namespaces whose labels match; the same set again until namespaces change."""
        if selector not in self._chosen:
            if len(self._chosen) >= _MOST_REMEMBERED:
                self._chosen.clear()
            tests = tests_of(selector)
            self._chosen[selector] = frozenset(
                name for name, labels in self.items() if all(test(labels.get(key)) for key, test in tests)
            )
        return self._chosen[selector]
