"""The part of a gang's work that one member does, and its JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, assert_never


@dataclass(frozen=True, slots=True)
class Share:
    """A member does this ``fraction`` of the whole work, above 0, at most 1. Its load is proportional to speed."""

    fraction: float


@dataclass(frozen=True, slots=True)
class Pieces:
    """A member does ``count`` whole pieces of the work, at least 1. Its load is pieces."""

    count: int


Part = Share | Pieces | None
"""None: the same part as each other member of the role."""


def encode_part(part: Part) -> dict[str, float | int]:
    """Write a part as ``{"share": 0.25}``, ``{"pieces": 3}`` or, where all members have the same, ``{}``."""
    match part:
        case Share(fraction):
            return {"share": fraction}
        case Pieces(count):
            return {"pieces": count}
        case None:
            return {}
        case _:
            assert_never(part)


def decode_part(fields: Mapping[str, Any]) -> Part:
    """Read the JSON of ``encode_part``; a share may also be a decimal in a string. Other keys are ignored."""
    if "share" in fields:
        return Share(float(fields["share"]))
    return Pieces(int(fields["pieces"])) if "pieces" in fields else None
