"""PodDisruptionBudgets: how many members may be evicted together."""

from collections.abc import Callable, Collection, Iterable, Mapping

from lockstep.api.label_selectors import selects
from lockstep.facts.pods.budget import BudgetFact, BudgetKey

Labels = Mapping[str, str]


class Budgets:
    """The PodDisruptionBudgets of the cluster."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._by_namespace: dict[str, dict[BudgetKey, BudgetFact]] = {}

    def apply(self, fact: BudgetFact) -> None:
        """Add or update a budget."""
        self._by_namespace.setdefault(fact.key.namespace, {})[fact.key] = fact
        self._changed()

    def remove(self, key: BudgetKey) -> None:
        """Remove a budget."""
        budgets = self._by_namespace.get(key.namespace, {})
        budgets.pop(key, None)
        if not budgets:
            self._by_namespace.pop(key.namespace, None)
        self._changed()

    def protecting(self, namespace: str, labels: Labels) -> Iterable[BudgetFact]:
        """The budgets that select a pod with these labels."""
        return (budget for budget in self.of(namespace) if selects(budget.selector, labels))

    def of(self, namespace: str) -> Collection[BudgetFact]:
        """The budgets of that namespace."""
        return self._by_namespace.get(namespace, {}).values()
