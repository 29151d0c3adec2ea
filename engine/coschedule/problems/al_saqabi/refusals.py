"""Why pieces have no place."""

from dataclasses import dataclass
from enum import StrEnum


class PiecesReason(StrEnum):
    """Why there is no allocation."""

    NO_GROUP_FITS = "NoGroupFits"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRoom:
    """No allocation exists; ``message`` is one sentence with the numbers that stand in the way."""

    message: str
    reason: PiecesReason = PiecesReason.NO_GROUP_FITS
