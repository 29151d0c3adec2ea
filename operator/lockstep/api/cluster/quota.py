"""Parses ResourceQuotas."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import CPU, Quantity, exact_units
from lockstep.facts.cluster.quota import Amount, QuotaFact, QuotaKey, Scope, plain_resource

# No gang can request so much, even with the most members and the largest requests. So such a quota limits no gang.
_UNLIMITED = 10**40


def parse_quota(manifest: Manifest) -> QuotaFact:
    """Parse a quota as the API server enforces it, by its status.

    Resources that the status does not count yet are left out. Amounts that limit no gang are left out, too.
    """
    metadata, spec, status = manifest["metadata"], manifest.get("spec") or {}, manifest.get("status") or {}
    return QuotaFact(
        key=QuotaKey(metadata["namespace"], metadata["name"]),
        by_resource={one.resource: one for one in _amounts(status.get("hard") or {}, status.get("used") or {})},
        scopes=_scopes(spec),
    )


def _amounts(hard: Mapping[str, Quantity], used: Mapping[str, Quantity]) -> Iterator[Amount]:
    for resource in hard.keys() & used.keys():
        unit = CPU if plain_resource(resource) == CPU else ""
        most = _units(unit, hard[resource])
        if most < _UNLIMITED:
            yield Amount(resource, most, _units(unit, used[resource]))


@lru_cache(maxsize=10_000)
def _units(unit: str, quantity: Quantity) -> int:
    return int(min(max(exact_units(unit, quantity), Decimal(0)), Decimal(_UNLIMITED)))


def _scopes(spec: Manifest) -> tuple[Scope, ...]:
    """The scopes of a quota, all of which must match. Scopes with the same name and operator are merged."""
    alike: defaultdict[tuple[str, str], list[frozenset[str]]] = defaultdict(list)
    for name in spec.get("scopes") or ():
        alike[name, "Exists"].append(frozenset())
    for one in (spec.get("scopeSelector") or {}).get("matchExpressions") or ():
        alike[one["scopeName"], one["operator"]].append(frozenset(one.get("values") or ()))
    return tuple(_scope(name, operator, values) for (name, operator), values in alike.items())


def _scope(name: str, operator: str, values: Sequence[frozenset[str]]) -> Scope:
    allowed = frozenset.intersection(*values) if operator == "In" else frozenset[str]().union(*values)
    return Scope(name, operator, allowed)
