"""How many objects to ask for at once: what is decoded together is bounded in bytes, not in objects.

An object may have 1.5 MB, and takes ten times as much once it is decoded. How large the next ones are only the last
ones tell, so an answer that is much larger than expected is cut off.
"""

_FIRST = 8
_MOST = 500
_GROWTH = 4
_USUAL_ANSWER_BYTES = 2**21

LARGEST_ANSWER_BYTES = 2**22
"""An answer with several objects is not read on after so many bytes. A single object is read whole."""


class PageSize:
    """The ``limit`` of the next page of one list, at least 1."""

    def __init__(self) -> None:
        self.limit = _FIRST

    def answered(self, size: int) -> None:
        """A page of ``limit`` objects, or the last one of fewer, had so many bytes."""
        suiting = self.limit * _USUAL_ANSWER_BYTES // max(size, 1)
        self.limit = max(1, min(suiting, _GROWTH * self.limit, _MOST))

    def cut_off(self) -> None:
        """A page of ``limit`` objects was larger than ``LARGEST_ANSWER_BYTES``: ask for a quarter of them."""
        self.limit = max(1, self.limit // _GROWTH)
