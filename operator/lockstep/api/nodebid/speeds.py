"""How fast processors are, relative to the reference: what an agent measures, and what nodes share."""

SLOWEST, FASTEST = 0.1, 10.0
"""No processor in use is so much slower or faster than the reference."""


def within_speeds(speed: float) -> float:
    """Return the speed, or the bound that it is beyond."""
    return min(max(speed, SLOWEST), FASTEST)
