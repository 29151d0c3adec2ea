"""The namespaces, by name, with their labels: a pod may choose by these whose pods it keeps away."""

from collections.abc import Callable, Mapping

from lockstep.facts.cluster import NamespaceFact


class Namespaces(dict[str, Mapping[str, str]]):
    """The labels of each namespace; changed by :meth:`apply` and :meth:`remove` only."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed

    def apply(self, fact: NamespaceFact) -> None:
        """A namespace is there, or its labels have changed."""
        if self.get(fact.name) != fact.labels:
            self[fact.name] = fact.labels
            self._changed()

    def remove(self, name: str) -> None:
        """A namespace is gone, and with it all that was in it, which is news of its own."""
        self.pop(name, None)
