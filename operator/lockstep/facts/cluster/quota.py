"""ResourceQuotas as facts."""

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
    values: tuple[str, ...] = ()


class QuotaFact(NamedTuple):
    """One ResourceQuota. ``amounts`` has (resource as the quota names it, limit, used), in base units.

    It counts pods in its namespace that match all ``scopes``.
    """

    key: QuotaKey
    amounts: tuple[tuple[str, int, int], ...]
    scopes: tuple[Scope, ...] = ()
