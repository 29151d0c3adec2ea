"""Limits how often each caller may ask, by a token bucket for each caller."""

from collections import OrderedDict
from collections.abc import Callable

_MOST_REMEMBERED = 1024


class Allowances:
    """Each caller may ask ``at_once`` times, and then ``a_second`` times per second.

    The buckets of the last 1,024 callers are kept. A caller without a bucket gets a full one.
    """

    def __init__(self, monotonic: Callable[[], float], *, at_once: float, a_second: float) -> None:
        self._monotonic = monotonic
        self._at_once = at_once
        self._a_second = a_second
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> bool:
        """Take a token from the caller's bucket; returns False if the bucket was empty."""
        now = self._monotonic()
        left, counted_at = self._left.pop(caller, (self._at_once, now))
        left = min(self._at_once, left + (now - counted_at) * self._a_second)
        is_left = left >= 1
        self._left[caller] = (left - is_left, now)
        if len(self._left) > _MOST_REMEMBERED:
            self._left.popitem(last=False)
        return is_left
