"""The directions in which gangs may change their size, by priority."""

import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import NamedTuple

from coschedule import Sizes


class Directions(NamedTuple):
    """Which gangs may grow or shrink, by priority. No gang takes room that a more urgent gang could use."""

    least_that_grows: float
    most_that_shrinks: float

    def sizes(self, sizes: Sizes, size: int, priority: int) -> Sizes:
        """The sizes to which a gang of that priority may change from ``size``."""
        least = sizes.minimum if priority <= self.most_that_shrinks else size
        most = sizes.maximum if priority >= self.least_that_grows else size
        is_free = (least, most) == (sizes.minimum, sizes.maximum)
        return sizes if is_free else replace(sizes, minimum=least, maximum=max(least, most))


def directions(waiting: Collection[int], running: Iterable[int]) -> Directions:
    """The directions for gangs of known end, by the priorities of all ``waiting`` and ``running`` gangs.

    Callers leave out waiting gangs that fit nowhere, because these wait for no room. A gang grows only if no more
    urgent gang waits. It shrinks only if all other gangs are at least as urgent, since any of them may get the room.
    """
    return Directions(max(waiting, default=-math.inf), min([*waiting, *running], default=math.inf))
