"""The ResourceQuotas that are there."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from lockstep.facts.cluster.quota import QuotaFact, QuotaKey


class Amount(NamedTuple):
    """The most that a quota allows of a resource, and how much of it is counted by now."""

    resource: str
    hard: int
    used: int


class Quota(NamedTuple):
    """A quota, and its amounts by resource: it may list any number of these."""

    fact: QuotaFact
    by_resource: Mapping[str, Amount]

    def amounts_of(self, resources: Iterable[str]) -> Iterator[Amount]:
        """What it says of those of these resources that it restricts, in their order by name."""
        return (self.by_resource[name] for name in sorted(self.by_resource.keys() & set(resources)))


class Quotas:
    """By namespace; ``changed`` is called after each change."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._by_namespace: dict[str, dict[QuotaKey, Quota]] = {}

    def apply(self, fact: QuotaFact) -> None:
        """A quota is there, or has changed."""
        quotas = self._by_namespace.setdefault(fact.key.namespace, {})
        known = quotas.get(fact.key)
        if known is None or known.fact != fact:
            quotas[fact.key] = Quota(fact, {amount[0]: Amount(*amount) for amount in fact.amounts})
            self._changed()

    def remove(self, key: QuotaKey) -> None:
        """A quota is gone."""
        quotas = self._by_namespace.get(key.namespace, {})
        if quotas.pop(key, None) is None:
            return
        if not quotas:
            del self._by_namespace[key.namespace]
        self._changed()

    def of(self, namespace: str) -> Collection[Quota]:
        """The quotas of that namespace."""
        return self._by_namespace.get(namespace, {}).values()
