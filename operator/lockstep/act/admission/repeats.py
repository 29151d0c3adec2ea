"""When a gang that admission has refused or changed is checked again: policies seldom change."""

_FIRST_SECONDS = 15.0
_LONGEST_SECONDS = 600.0
# More doublings would only make the number larger.
_MOST_DOUBLINGS = 16


def pause_before_repeat(checks: int) -> float:
    """The seconds from a check to the next one, after ``checks`` earlier ones: 15, 30, 60 … 600."""
    return min(_FIRST_SECONDS * 2.0 ** min(checks, _MOST_DOUBLINGS), _LONGEST_SECONDS)
