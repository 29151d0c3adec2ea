"""How many questions are in hand until their answers are sent: each has a connection of its own."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from lockstep.tenants.fair_turns import TooManyWaitError

MOST_IN_FLIGHT, MOST_IN_FLIGHT_OF_PARTY = 96, 4
"""So many questions at once, and so many of one party."""
MOST_CONNECTIONS = 512
"""All are from the API server. With fewer, a crowd of users with one question each would cost others an answer."""


class QuestionsInFlight:
    """Lets questions in. While all places are taken, a party may have one question, so that no crowd keeps it out."""

    def __init__(self) -> None:
        self._of = Counter[str]()

    @contextmanager
    def one(self, party: str) -> Iterator[None]:
        """Have a place for a question of that party while the block runs. Raises ``TooManyWaitError``."""
        own = self._of[party]
        if own >= MOST_IN_FLIGHT_OF_PARTY or (own and self._of.total() >= MOST_IN_FLIGHT):
            raise TooManyWaitError
        self._of[party] += 1
        try:
            yield
        finally:
            self._of[party] -= 1
            if not self._of[party]:
                del self._of[party]
