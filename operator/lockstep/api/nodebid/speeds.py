"""Bounds for speeds of processors, relative to the reference node."""

SLOWEST, FASTEST = 0.1, 10.0
"""The speeds of all processors in use are between these two numbers."""


def within_speeds(speed: float) -> float:
    """The speed, limited to the bounds."""
    return min(max(speed, SLOWEST), FASTEST)
