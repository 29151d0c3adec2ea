"""PodDisruptionBudgets: how many members may be taken away together."""

from collections.abc import Callable, Collection, Iterable, Mapping

from lockstep.api.label_selectors import selects
from lockstep.facts.pods.budget import BudgetFact, BudgetKey

Labels = Mapping[str, str]


class Budgets:
    """The budgets that are there."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._by_namespace: dict[str, dict[BudgetKey, BudgetFact]] = {}

    def apply(self, fact: BudgetFact) -> None:
        """A budget is there, or has changed."""
        self._by_namespace.setdefault(fact.key.namespace, {})[fact.key] = fact
        self._changed()

    def remove(self, key: BudgetKey) -> None:
        """A budget is gone."""
        budgets = self._by_namespace.get(key.namespace, {})
        budgets.pop(key, None)
        if not budgets:
            self._by_namespace.pop(key.namespace, None)
        self._changed()

    def protecting(self, namespace: str, labels: Labels) -> Iterable[BudgetFact]:
        """The budgets that count a pod with these labels."""
        return (budget for budget in self.of(namespace) if selects(budget.selector, labels))

    def of(self, namespace: str) -> Collection[BudgetFact]:
        """The budgets of that namespace."""
        return self._by_namespace.get(namespace, {}).values()
