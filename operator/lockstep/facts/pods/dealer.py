"""The dealer of pieces in a member's pod."""

from typing import NamedTuple

from lockstep.facts.piece_states import PieceCounts

RANKS_HEADER = "Lockstep-Ranks"
"""The header in which the operator sends a dealer the ranks of all members, for a gang whose members come and go."""


class DealerFact(NamedTuple):
    """The ``url`` of the dealer; '' if there is none.

    ``last_counts`` are the counts that the dealer left when it ended; None if it left none.
    """

    url: str
    last_counts: PieceCounts | None = None
