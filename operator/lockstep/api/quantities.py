"""Parses quantities of Kubernetes.

Whatever an object states, amounts for plans are limited to ``LARGEST_AMOUNT``. A cluster has few distinct quantities,
so these amounts are cached by text.
"""

import re
from collections.abc import Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_UP, Context, Decimal
from functools import lru_cache
from typing import Any

# Times are in a module of their own, so that a small process can import only that. Other callers import both from here.
from lockstep.api.times import duration_seconds as duration_seconds  # noqa: PLC0414
from lockstep.api.times import epoch_seconds as epoch_seconds  # noqa: PLC0414
from lockstep.api.times import rfc3339 as rfc3339  # noqa: PLC0414
from lockstep.facts.pods.pod import LARGEST_AMOUNT, Request

CPU = "cpu"

Quantity = str | int | float
"""A quantity as in JSON. A number may be without quotes, and in a template it may be a fraction."""

# The most characters of a quantity. Kubernetes writes at most 20.
_LONGEST_QUANTITY = 100
_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+))(?:[eE](?P<exponent>[+-]?[0-9]+)|(?P<suffix>[numkMGTPE]|[KMGTPE]i)?)"
)
_SUFFIXES = {
    "": Decimal(1),
    **{
        suffix: Decimal(10) ** power
        for suffix, power in zip("numkMGTPE", (-9, -6, -3, 3, 6, 9, 12, 15, 18), strict=True)
    },
    **{f"{letter}i": Decimal(2) ** (10 * power) for power, letter in enumerate("KMGTPE", start=1)},
}
# Ten to this power is larger than any amount that is counted here. Its inverse is smaller than any of these amounts.
_LARGEST_EXPONENT = 1000
# The precision is more digits than any quantity has. Results are rounded upwards, so none is too small.
_EXACT = Context(prec=_LONGEST_QUANTITY + 50, rounding=ROUND_UP, Emax=MAX_EMAX, Emin=MIN_EMIN)

# Requests with more names are rare, so they are not cached.
_MOST_NAMES_SHARED = 100

# The largest signed 64-bit integer.
_MOST_BYTES = Decimal(2**63 - 1)


def base_units(name: str, quantity: Quantity) -> int:
    """The amount of a resource in thousandths of a core, whole bytes or whole units, rounded up as in Kubernetes.

    It is limited to the range from 0 to ``LARGEST_AMOUNT``. Raises ``ValueError`` for an invalid quantity.
    """
    return _base_units(name, _readable(quantity))


@lru_cache(maxsize=10_000)
def _base_units(name: str, text: str) -> int:
    return int(min(max(exact_units(name, text), Decimal(0)), Decimal(LARGEST_AMOUNT)))


def exact_units(name: str, quantity: Quantity) -> Decimal:
    """The amount in the units of ``base_units``, without limits.

    It may be as large as ten to the power of about 1,000, but has few digits. Raises ``ValueError``.
    """
    amount = decimal(quantity)
    if name == CPU:
        amount = _EXACT.multiply(amount, Decimal(1000))
    return amount if amount.adjusted() > _LONGEST_QUANTITY else amount.to_integral_value(ROUND_UP)


def whole_bytes(quantity: Quantity) -> int:
    """A size of storage, rounded up to whole bytes.

    It is limited to the largest number that the API server can count.
    """
    return int(min(max(exact_units("storage", quantity), Decimal(0)), _MOST_BYTES))


def ratio(quantity: Quantity) -> float:
    """The value of a quantity that is a ratio, such as a duty cycle of ``250m``."""
    return float(decimal(quantity))


def decimal(quantity: Quantity) -> Decimal:
    """The value of a quantity. Raises ``ValueError`` for an invalid quantity."""
    match = _QUANTITY.fullmatch(_readable(quantity))
    if match is None:
        raise ValueError(f"{quantity} is not a quantity")
    number = Decimal(match["number"])
    if match["exponent"] is None:
        return _EXACT.multiply(number, _SUFFIXES[match["suffix"] or ""])
    exponent = min(max(int(match["exponent"]), -_LARGEST_EXPONENT), _LARGEST_EXPONENT)
    return number.scaleb(exponent, _EXACT)


def _readable(quantity: Quantity) -> str:
    text = str(quantity).strip()
    if len(text) > _LONGEST_QUANTITY:
        raise ValueError(f"a quantity of {len(text)} characters is too long to be read")
    return text


def resources(amounts: Mapping[str, Any] | None) -> dict[str, int]:
    """A resource list in base units."""
    return {name: base_units(name, quantity) for name, quantity in (amounts or {}).items()}


def as_request(amounts: Mapping[str, int]) -> Request:
    """Amounts by resource as a value that can be compared and shared.

    Zero amounts are left out: they restrict nothing.
    """
    bounded = ((name, min(amount, LARGEST_AMOUNT)) for name, amount in amounts.items() if amount > 0)
    request = tuple(sorted(bounded))
    return _shared(request) if len(request) <= _MOST_NAMES_SHARED else request


@lru_cache(maxsize=10_000)
def _shared(request: Request) -> Request:
    # The pods of a cluster have few distinct requests, so 50,000 pods share a few hundred tuples.
    return request
