"""The dealer of pieces in a member's pod."""

from typing import NamedTuple

from lockstep.facts.piece_states import PieceCounts

RANKS_HEADER = "Lockstep-Ranks"
"""The header in which the operator sends a dealer the ranks of all members, where they come and go."""


class DealerFact(NamedTuple):
    """Where the dealer answers, and the counts that it left when it ended; '' and None where there are none."""

    url: str
    last_counts: PieceCounts | None = None
