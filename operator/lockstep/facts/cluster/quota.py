"""ResourceQuotas as facts."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple


class QuotaKey(NamedTuple):
    """A ResourceQuota's place in the API."""

    namespace: str
    name: str


def plain_resource(resource: str) -> str:
    """The resource that a quota limits: ``cpu`` for ``cpu``, ``requests.cpu`` and ``limits.cpu``."""
    return resource.removeprefix("requests.").removeprefix("limits.")


class Scope(NamedTuple):
    """A scope of a quota, which then counts only some pods. The ``operator`` compares with ``values``."""

    name: str
    operator: str
    values: frozenset[str] = frozenset()


class Amount(NamedTuple):
    """The most that a quota allows of a resource, and the amount that is already counted, in base units."""

    resource: str
    hard: int
    used: int


class QuotaFact(NamedTuple):
    """One ResourceQuota, as the API server enforces it.

    ``by_resource`` has an amount for each resource that the quota limits. A quota with ``scopes`` counts only pods that
    match all of them.
    """

    key: QuotaKey
    by_resource: Mapping[str, Amount]
    scopes: tuple[Scope, ...] = ()

    def amounts_of(self, resources: Iterable[str]) -> Iterator[Amount]:
        """The amounts for ``resources``, sorted by name; resources that the quota does not limit are left out."""
        return (self.by_resource[name] for name in sorted(self.by_resource.keys() & set(resources)))
