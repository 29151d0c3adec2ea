"""Bars on one node, stacked where they share time: the first lane that is free takes the next bar."""

import math
from collections.abc import Sequence

from lockstep.report.timeline.bars import Bar


def lanes(bars: Sequence[Bar]) -> list[int]:
    """The lane of each bar, numbered from 0; no two in one lane share time, and there are no more lanes than needed."""
    chosen = [0] * len(bars)
    free_from: list[float] = []
    for number in sorted(range(len(bars)), key=lambda one: (bars[one].start, one)):
        bar = bars[number]
        lane = next((lane for lane, time in enumerate(free_from) if time <= bar.start), len(free_from))
        free_from[lane:] = [_end(bar), *free_from[lane + 1 :]]
        chosen[number] = lane
    return chosen


def _end(bar: Bar) -> float:
    """When its lane is free again; a bar without width takes its lane all the same."""
    return math.inf if bar.finish is None else max(bar.finish, math.nextafter(bar.start, math.inf))
