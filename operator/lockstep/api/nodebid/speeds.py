"""Bounds for speeds of processors, relative to the reference node."""

SLOWEST, FASTEST = 0.1, 10.0
"""Every processor in use has a speed between these two."""


def within_speeds(speed: float) -> float:
    """The speed, limited to the bounds."""
    return min(max(speed, SLOWEST), FASTEST)
