"""Stacks bars of one node that overlap in time: each bar takes the first free lane."""

import math
from collections.abc import Sequence

Span = tuple[float, float | None]
"""The start and the end of a bar. The end is None if it is unknown."""


def lanes(spans: Sequence[Span]) -> list[int]:
    """The lane of each bar, from 0. Bars in one lane do not overlap, and there are no more lanes than needed."""
    chosen = [0] * len(spans)
    free_from: list[float] = []
    for number in sorted(range(len(spans)), key=lambda one: (spans[one][0], one)):
        start, finish = spans[number]
        lane = next((lane for lane, time in enumerate(free_from) if time <= start), len(free_from))
        free_from[lane:] = [_end(start, finish), *free_from[lane + 1 :]]
        chosen[number] = lane
    return chosen


def _end(start: float, finish: float | None) -> float:
    """The time at which the lane of a bar is free again. A bar without duration also takes a lane."""
    return math.inf if finish is None else max(finish, math.nextafter(start, math.inf))
