"""Bounds the questions in flight, from their arrival until their answers are sent: each needs a connection."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from lockstep.tenants.fair_turns import TooManyWaitError

MOST_IN_FLIGHT, MOST_IN_FLIGHT_OF_PARTY = 96, 4
"""A party may have ``MOST_IN_FLIGHT_OF_PARTY`` questions at once.

While all parties together have ``MOST_IN_FLIGHT`` questions, a party may have only one.
"""
MOST_CONNECTIONS = 512
"""The server accepts at most this number of connections; all come from the API server.

With a lower limit, many users with one question each would leave no connection for another user.
"""


class QuestionsInFlight:
    """Admits questions.

    If all places are taken, a party without a question still gets one, so no crowd can keep it out.
    """

    def __init__(self) -> None:
        self._of = Counter[str]()

    @contextmanager
    def one(self, party: str) -> Iterator[None]:
        """Count one question of that party while the block runs. Raises ``TooManyWaitError``."""
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
