"""ResourceQuotas as they come from the API server."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from lockstep.api.quantities import Quantity, exact_units
from lockstep.facts.cluster.quota import QuotaFact, QuotaKey, Scope, plain_resource

Manifest = Mapping[str, Any]

# More than any number of members of the largest requests, so it limits no gang.
_UNLIMITED = 10**40


def parse_quota(manifest: Manifest) -> QuotaFact:
    """A quota as the API server enforces it, by its status; resources that are not counted yet are left out."""
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return QuotaFact(
        key=QuotaKey(metadata["namespace"], metadata["name"]),
        amounts=tuple(_amounts(status.get("hard") or {}, status.get("used") or {})),
        scopes=tuple(_scopes(spec)),
    )


def _amounts(hard: Mapping[str, Quantity], used: Mapping[str, Quantity]) -> Iterator[tuple[str, int, int]]:
    for resource in sorted(hard.keys() & used.keys()):
        most = _units(resource, hard[resource])
        if most < _UNLIMITED:
            yield resource, most, _units(resource, used[resource])


def _units(resource: str, quantity: Quantity) -> int:
    exact = exact_units(plain_resource(resource), quantity)
    return int(min(max(exact, Decimal(0)), Decimal(_UNLIMITED)))


def _scopes(spec: Manifest) -> Iterator[Scope]:
    for name in spec.get("scopes") or ():
        yield Scope(name, "Exists")
    for one in (spec.get("scopeSelector") or {}).get("matchExpressions") or ():
        yield Scope(one["scopeName"], one["operator"], tuple(one.get("values") or ()))
