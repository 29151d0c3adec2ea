"""How often each caller may ask: a token bucket for each."""

from collections import OrderedDict
from collections.abc import Callable

_MOST_REMEMBERED = 1024


class Allowances:
    """Each caller may ask ``at_once`` times, and then ``a_second`` times per second. 1,024 callers are remembered."""

    def __init__(self, monotonic: Callable[[], float], *, at_once: float, a_second: float) -> None:
        self._monotonic = monotonic
        self._at_once = at_once
        self._a_second = a_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> bool:
        """Take one from the caller's bucket; returns whether there was one left."""
        now = self._monotonic()
        left, counted_at = self._left.pop(caller, (self._at_once, now))
        left = min(self._at_once, left + (now - counted_at) * self._a_second)
        is_left = left >= 1
        self._left[caller] = (left - is_left, now)
        if len(self._left) > _MOST_REMEMBERED:
            self._left.popitem(last=False)
        return is_left
