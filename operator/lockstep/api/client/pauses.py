"""The pause before the next try after failures: the single rule for everything that is retried."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 60.0
# More doublings would only make the number larger.
_MOST_DOUBLINGS = 6


def pause_after(failures: int) -> float:
    """The seconds to wait after a failed try that followed ``failures`` other failed ones: 1, 2, 4 … 60."""
    return min(_FIRST_SECONDS * 2.0 ** min(failures, _MOST_DOUBLINGS), _LONGEST_SECONDS)
