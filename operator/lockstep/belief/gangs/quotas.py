"""The ResourceQuotas of the cluster."""

from collections.abc import Callable, Collection

from lockstep.facts.cluster.quota import QuotaFact, QuotaKey


class Quotas:
    """The ResourceQuotas by namespace; ``changed`` is called after each change."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._by_namespace: dict[str, dict[QuotaKey, QuotaFact]] = {}

    def apply(self, fact: QuotaFact) -> None:
        """Add or update a quota."""
        quotas = self._by_namespace.setdefault(fact.key.namespace, {})
        if quotas.get(fact.key) != fact:
            quotas[fact.key] = fact
            self._changed()

    def remove(self, key: QuotaKey) -> None:
        """Remove a quota."""
        quotas = self._by_namespace.get(key.namespace, {})
        if quotas.pop(key, None) is None:
            return
        if not quotas:
            del self._by_namespace[key.namespace]
        self._changed()

    def of(self, namespace: str) -> Collection[QuotaFact]:
        """The quotas of that namespace."""
        return self._by_namespace.get(namespace, {}).values()
