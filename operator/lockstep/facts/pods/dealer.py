"""The dealer of pieces in a member's pod."""

from typing import NamedTuple

from lockstep.facts.piece_states import PieceCounts


class DealerFact(NamedTuple):
    """Where the dealer answers, and the counts that it left when it ended; '' and None where there are none."""

    url: str
    last_counts: PieceCounts | None = None
