"""When sizes are chosen again though nothing changes, and when gangs of unknown end may give room back again.

Whether room that is given back helps is found by plans. If none helped, the next such plans are made after a while, so
that one tenant's gangs do not make each plan several times dearer.
"""

import math
from collections.abc import Callable

from lockstep.cycle.planning.plan_thread import Made

# Plans that did not help take about a second where a thousand gangs wait: at most a tenth of the time.
_REST_SECONDS = 10.0


class SizeTimes:
    """Two monotonic times; ``next`` is infinite if sizes are chosen with the next plan only."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._gives_at = -math.inf
        self.next = math.inf

    @property
    def may_give(self) -> bool:
        """Whether plans may be made now so that gangs of unknown end give room back."""
        return self._monotonic() >= self._gives_at

    def record(self, made: Made, now: float, *, may_give: bool) -> None:
        """Record a plan of that time of day, in which such plans could be made or not."""
        monotonic = self._monotonic()
        self.next = monotonic + made.again - now
        if made.in_vain:
            self._gives_at = monotonic + _REST_SECONDS
        elif not may_give:
            self.next = min(self.next, self._gives_at)
