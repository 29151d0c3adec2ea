"""Detects steps of the wall clock, which may be set at any time, even by years."""

STEP = 60.0
"""Seconds by which wall and monotonic clock may differ between samples before the wall clock counts as set."""


class ClockSteps:
    """The monotonic and the wall clock at the last sample.

    ``began`` is the time of the first sample, by the wall clock as it is set now.
    """

    def __init__(self, now: float, wall: float) -> None:
        self.now, self.wall, self.began = now, wall, wall

    def move_to(self, now: float, wall: float) -> float:
        """Record the next sample; return the seconds by which the wall clock was set since the last one, or 0."""
        step = (wall - self.wall) - (now - self.now)
        self.now, self.wall = now, wall
        if abs(step) <= STEP:
            return 0.0
        self.began += step
        return step
