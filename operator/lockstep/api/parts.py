"""A member's part of the gang's work as statuses and pods spell it: shares are decimals, not floats."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from coschedule import Members, Part, decode_part, encode_part

_SHARE_DECIMALS = 12

Spelling = dict[str, str | int]
"""``{"share": "0.25"}``, ``{"pieces": 3}`` or, where all members have the same, nothing."""


def spelled_part(part: Part) -> Spelling:
    """Spell a part for the API: a share as a decimal without trailing zeros."""
    return {name: _SPELLINGS[name](value) for name, value in encode_part(part).items()}


def as_spelled(members: Iterable[Members]) -> tuple[Members, ...]:
    """Round shares to what the API spells, so that members are the same when they are read again."""
    return tuple(replace(entry, part=decode_part(spelled_part(entry.part))) for entry in members)


def _decimal(share: float) -> str:
    return f"{share:.{_SHARE_DECIMALS}f}".rstrip("0").rstrip(".")


_SPELLINGS: Mapping[str, Callable[[float], str | int]] = {"share": _decimal, "pieces": int}
