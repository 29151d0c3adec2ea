"""Pieces of a gang's work that a dealer deals to members while they run.

The dealer runs in the pod of the member of rank 0.
"""

from typing import NamedTuple

from lockstep.facts.piece_states import PieceCounts

MOST_DEALT_PIECES = 100_000
"""The most pieces that one dealer deals: their states take 25 kB, in a ConfigMap and in the operator's memory."""


class DealingSpec(NamedTuple):
    """The number of pieces, and how many of them may fail."""

    pieces: int
    most_failed: int = 0

    def are_settled(self, counts: PieceCounts) -> bool:
        """Whether every piece is done or has failed."""
        return counts.settled >= self.pieces

    def too_many_failed(self, counts: PieceCounts) -> bool:
        """Whether more than ``most_failed`` pieces have failed."""
        return counts.failed > self.most_failed

    def part(self, counts: PieceCounts) -> str:
        """The part of the pieces that are done or have failed, as text like ``status.progress``; '' for none."""
        return f"{counts.settled / self.pieces:.9f}".rstrip("0").rstrip(".") if counts.settled else ""
