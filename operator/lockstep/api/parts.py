"""Formats a member's part of the work for statuses and pods: shares are decimals, not floats."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from coschedule import Members, Part, decode_part, encode_part

_SHARE_DECIMALS = 12

FormattedPart = dict[str, str | int]
"""``{"share": "0.25"}``, ``{"pieces": 3}``, or ``{}`` if all members have equal parts."""


def format_part(part: Part) -> FormattedPart:
    """Format a part for the API: a share is a decimal without trailing zeros."""
    return {name: _FORMATS[name](value) for name, value in encode_part(part).items()}


def as_formatted(members: Iterable[Members]) -> tuple[Members, ...]:
    """Round shares to the API's format. So members compare equal with members that are read from the API."""
    return tuple(replace(entry, part=decode_part(format_part(entry.part))) for entry in members)


def _decimal(share: float) -> str:
    return f"{share:.{_SHARE_DECIMALS}f}".rstrip("0").rstrip(".")


_FORMATS: Mapping[str, Callable[[float], str | int]] = {"share": _decimal, "pieces": int}
