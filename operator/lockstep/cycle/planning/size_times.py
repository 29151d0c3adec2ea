"""When sizes are chosen again although nothing changes, and when gangs of unknown end may give room back again.

Additional plans find out whether it helps if such gangs give room back. If none of them helped, the next ones are made
only after a pause. So one tenant's gangs do not make every plan several times as costly.
"""

import math
from collections.abc import Callable

from lockstep.cycle.planning.plan_thread import Made

# If a thousand gangs wait, additional plans take about a second. So plans in vain take at most a tenth of the time.
_REST_SECONDS = 10.0


class SizeTimes:
    """The ``next`` time for choosing sizes, and when gangs may give room back again. Both are monotonic.

    ``next`` is infinite if sizes are chosen only with the next plan that is due for other reasons.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._gives_at = -math.inf
        self.next = math.inf

    @property
    def may_give(self) -> bool:
        """Whether additional plans may be made now so that gangs of unknown end give room back."""
        return self._monotonic() >= self._gives_at

    def record(self, made: Made, now: float, *, may_give: bool, others_at: float = math.inf) -> None:
        """Record a plan made at the time of day ``now``.

        ``may_give`` says whether gangs of unknown end could give room back. At the time of day ``others_at``, it is the
        turn of gangs that this plan did not read.
        """
        monotonic = self._monotonic()
        self.next = monotonic + min(made.again, others_at) - now
        if made.in_vain:
            self._gives_at = monotonic + _REST_SECONDS
        elif not may_give:
            self.next = min(self.next, self._gives_at)
