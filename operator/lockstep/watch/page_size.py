"""Chooses the number of objects in a page: pages are bounded in bytes, not in objects.

An object may have 1.5 MB, and takes ten times as much memory when decoded. The size of the next objects is estimated
from the last page, so an answer that is much larger than expected is cut off. To decode a page holds the event loop:
for 35 ms if it has 2 MiB. No thread can interrupt that.
"""

_FIRST = 8
_MOST = 500
_GROWTH = 4
_USUAL_ANSWER_BYTES = 2**20

LARGEST_ANSWER_BYTES = 2**21
"""In bytes: an answer with several objects is cut off beyond this. A single object is read whole."""


class PageSize:
    """The ``limit`` of the next page of one list, at least 1."""

    def __init__(self) -> None:
        self.limit = _FIRST

    def answered(self, size: int) -> None:
        """A page of ``limit`` objects, or the shorter last page, had ``size`` bytes."""
        suiting = self.limit * _USUAL_ANSWER_BYTES // max(size, 1)
        self.limit = max(1, min(suiting, _GROWTH * self.limit, _MOST))

    def cut_off(self) -> None:
        """A page of ``limit`` objects was larger than ``LARGEST_ANSWER_BYTES``: ask for a quarter of them."""
        self.limit = max(1, self.limit // _GROWTH)
