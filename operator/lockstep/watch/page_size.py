"""Chooses the number of objects in a page, so that the page has a bounded number of bytes.

An object may have 1.5 MB, and takes ten times as much memory when decoded. The size of the next objects is estimated
from the last page. If an answer is much larger than expected, it is cut off. The event loop stands still while a page
is decoded: for 35 ms if the page has 2 MiB. No other thread can interrupt the decoder.
"""

_FIRST = 8
_MOST = 500
_GROWTH = 4
_USUAL_ANSWER_BYTES = 2**20

LARGEST_ANSWER_BYTES = 2**21
"""In bytes: an answer with several objects is cut off beyond this size. An answer with one object is read whole."""


class PageSize:
    """The ``limit`` of the next page of one list, at least 1."""

    def __init__(self) -> None:
        self.limit = _FIRST

    def answered(self, size: int) -> None:
        """Choose the next ``limit``: a page of ``limit`` objects, or a shorter last page, had ``size`` bytes."""
        suiting = self.limit * _USUAL_ANSWER_BYTES // max(size, 1)
        self.limit = max(1, min(suiting, _GROWTH * self.limit, _MOST))

    def cut_off(self) -> None:
        """Divide ``limit`` by four: a page of ``limit`` objects was larger than ``LARGEST_ANSWER_BYTES``."""
        self.limit = max(1, self.limit // _GROWTH)
