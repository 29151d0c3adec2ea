"""The wall clock beside the monotonic one: it may be set at any moment, by years."""

STEP = 60.0
"""Seconds by which the two may drift apart between samples before the wall clock counts as set."""


class ClockSteps:
    """Both clocks at the last sample. ``began`` is when the first one was, by the wall clock as it is now."""

    def __init__(self, now: float, wall: float) -> None:
        self.now, self.wall, self.began = now, wall, wall

    def move_to(self, now: float, wall: float) -> float:
        """Go on to the next sample; return by how much the wall clock was set, 0 where it was not."""
        step = (wall - self.wall) - (now - self.now)
        self.now, self.wall = now, wall
        if abs(step) <= STEP:
            return 0.0
        self.began += step
        return step
