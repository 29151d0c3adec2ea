"""The labels of namespaces. Pods' anti-affinity may select namespaces by label."""

from collections.abc import Callable, Mapping

from lockstep.api.label_selectors import demands_of, words_in
from lockstep.belief.common.kept_answers import BYTES_OF_NAME, BYTES_OF_WORD, KeptAnswers
from lockstep.facts.cluster.cluster import NamespaceFact
from lockstep.facts.pods.pod import LabelSelector


class Namespaces(dict[str, Mapping[str, str]]):
    """The labels of each namespace; changed by :meth:`apply` and :meth:`remove` only."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed
        self._chosen = KeptAnswers[LabelSelector, frozenset[str]]()

    def apply(self, fact: NamespaceFact) -> None:
        """Add or update a namespace."""
        if self.get(fact.name) != fact.labels:
            self[fact.name] = fact.labels
            self._chosen.forget()
            self._changed()

    def remove(self, name: str) -> None:
        """Remove a namespace. The objects in it are removed by their own watches."""
        self.pop(name, None)
        self._chosen.forget()

    def chosen_by(self, selector: LabelSelector) -> frozenset[str]:
        """The namespaces whose labels match. While an answer is kept, it is the same set object."""
        chosen = self._chosen.get(selector)
        if chosen is None:
            demands = demands_of(selector)
            chosen = frozenset(name for name, labels in self.items() if demands.pass_with(labels))
            self._chosen.keep(selector, chosen, BYTES_OF_WORD * words_in(selector) + BYTES_OF_NAME * len(chosen))
        return chosen
