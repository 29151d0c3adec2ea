"""Quantities, durations and times as Kubernetes spells them, as numbers.

A cluster has few distinct quantities and durations, so both are remembered by their spelling.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

import durationpy
from kubernetes.utils.quantity import parse_quantity

from lockstep.facts import Request

CPU = "cpu"
_LAST_SECOND = int(datetime.max.replace(tzinfo=UTC).timestamp())


@lru_cache(maxsize=10_000)
def base_units(name: str, quantity: str | int) -> int:
    """The amount of one resource: milli-CPU for ``cpu``, else whole bytes or pieces, rounded up as in Kubernetes."""
    amount: Decimal = parse_quantity(quantity)
    if name == CPU:
        amount *= 1000
    return int(amount.to_integral_value(rounding=ROUND_CEILING))


@lru_cache(maxsize=10_000)
def ratio(quantity: str | int) -> float:
    """A quantity that stands for a ratio, such as a duty cycle of ``250m``."""
    return float(parse_quantity(quantity))


@lru_cache(maxsize=10_000)
def duration_seconds(text: str) -> float:
    """A Go duration (``1h30m``) in seconds."""
    seconds: float = durationpy.from_str(text).total_seconds()
    return seconds


def epoch_seconds(text: str | None) -> float | None:
    """An RFC 3339 time in seconds since the epoch."""
    return None if text is None else datetime.fromisoformat(text).timestamp()


def rfc3339(seconds: float) -> str:
    """Seconds since the epoch as Kubernetes spells a time: UTC, whole seconds, rounded to the nearest.

    A time beyond the last that can be spelled (a century of work on a slow node) becomes that last one.
    """
    return datetime.fromtimestamp(min(round(seconds), _LAST_SECOND), tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def resources(amounts: Mapping[str, Any] | None) -> dict[str, int]:
    """A resource list in base units."""
    return {name: base_units(name, quantity) for name, quantity in (amounts or {}).items()}


def as_request(amounts: Mapping[str, int]) -> Request:
    """The same, as a value that can be compared and shared. What is 0 is left out: it restricts nothing."""
    return _shared(tuple(sorted((name, amount) for name, amount in amounts.items() if amount)))


@lru_cache(maxsize=10_000)
def _shared(request: Request) -> Request:
    # The pods of a cluster have few distinct requests: 50,000 pods then share a few hundred tuples.
    return request
