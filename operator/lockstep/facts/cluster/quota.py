"""ResourceQuotas as facts."""

from typing import NamedTuple


class QuotaKey(NamedTuple):
    """A ResourceQuota's place in the API."""

    namespace: str
    name: str


def plain_resource(resource: str) -> str:
    """The resource that a quota means: ``cpu`` for ``cpu``, ``requests.cpu`` and ``limits.cpu``."""
    return resource.removeprefix("requests.").removeprefix("limits.")


class Scope(NamedTuple):
    """Which pods a quota counts: those for which ``name`` stands in that relation to ``values``."""

    name: str
    operator: str
    values: tuple[str, ...] = ()


class QuotaFact(NamedTuple):
    """One ResourceQuota: what pods of its namespace may have at most of each resource, and what is counted by now.

    The amounts are (resource as the quota names it, the most, used), in base units; all ``scopes`` hold of the pods
    that it counts.
    """

    key: QuotaKey
    amounts: tuple[tuple[str, int, int], ...]
    scopes: tuple[Scope, ...] = ()
