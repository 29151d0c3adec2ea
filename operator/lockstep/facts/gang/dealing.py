"""Pieces of a gang that a dealer beside rank 0 deals to members while they run."""

from typing import NamedTuple

from lockstep.facts.piece_states import PieceCounts

MOST_DEALT_PIECES = 100_000
"""The most pieces that one dealer deals: their states take 25 kB in its gang's ConfigMap, and in the operator."""


class DealingSpec(NamedTuple):
    """How many pieces there are, and how many of them may fail."""

    pieces: int
    most_failed: int = 0

    def are_settled(self, counts: PieceCounts) -> bool:
        """Whether every piece is done or has failed."""
        return counts.settled >= self.pieces

    def too_many_failed(self, counts: PieceCounts) -> bool:
        """Whether more pieces have failed than may."""
        return counts.failed > self.most_failed

    def part(self, counts: PieceCounts) -> str:
        """The part of the work that is done, as in ``status.progress``; '' while none is."""
        return f"{counts.settled / self.pieces:.9f}".rstrip("0").rstrip(".") if counts.settled else ""
