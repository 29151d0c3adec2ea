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
    """Which pods a quota counts: the scope ``name`` must stand in the relation ``operator`` to ``values``."""

    name: str
    operator: str
    values: frozenset[str] = frozenset()


class Amount(NamedTuple):
    """The most that a quota allows of a resource, and how much of it is counted by now, in base units."""

    resource: str
    hard: int
    used: int


class QuotaFact(NamedTuple):
    """One ResourceQuota: what pods of its namespace may have of each resource, and what is counted now, in base units.

    ``by_resource`` has an amount for each resource that the quota names. It counts pods of its namespace that match all
    ``scopes``.
    """

    key: QuotaKey
    by_resource: Mapping[str, Amount]
    scopes: tuple[Scope, ...] = ()

    def amounts_of(self, resources: Iterable[str]) -> Iterator[Amount]:
        """What it says of those of these resources that it restricts, in their order by name."""
        return (self.by_resource[name] for name in sorted(self.by_resource.keys() & set(resources)))
