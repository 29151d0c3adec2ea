"""Stacks bars of one node that overlap in time: each takes the first free lane."""

import math
from collections.abc import Sequence

from lockstep.report.timeline.bars import Bar


def lanes(bars: Sequence[Bar]) -> list[int]:
    """The lane of each bar, from 0. Bars in one lane do not overlap, and there are no more lanes than needed."""
    chosen = [0] * len(bars)
    free_from: list[float] = []
    for number in sorted(range(len(bars)), key=lambda one: (bars[one].start, one)):
        bar = bars[number]
        lane = next((lane for lane, time in enumerate(free_from) if time <= bar.start), len(free_from))
        free_from[lane:] = [_end(bar), *free_from[lane + 1 :]]
        chosen[number] = lane
    return chosen


def _end(bar: Bar) -> float:
    """When its lane is free again; a bar of no duration takes its lane too."""
    return math.inf if bar.finish is None else max(bar.finish, math.nextafter(bar.start, math.inf))
