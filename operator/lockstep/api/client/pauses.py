"""The pause between a failure and the next try of a task. Watches, and tries of one request, have other pauses."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 60.0
# More doublings would exceed the longest pause anyway.
_MOST_DOUBLINGS = 6


def pause_after(failures: int) -> float:
    """The seconds to wait after a failed try: 1, 2, 4 … 60. ``failures`` counts the failed tries before this one."""
    return min(_FIRST_SECONDS * 2.0 ** min(failures, _MOST_DOUBLINGS), _LONGEST_SECONDS)
