"""How long to wait before the next try of what has failed: the one rule for all that is repeated."""

_FIRST_SECONDS = 1.0
_LONGEST_SECONDS = 60.0
# More would change nothing but the size of the number.
_MOST_DOUBLINGS = 6


def pause_after(failures: int) -> float:
    """How many seconds to wait where so many tries have failed before the last one: 1, 2, 4 … 60."""
    return min(_FIRST_SECONDS * 2.0 ** min(failures, _MOST_DOUBLINGS), _LONGEST_SECONDS)
