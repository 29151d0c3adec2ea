"""Divides numbers into strips of rising values without sorting them.

Example: for [9, 1, 4, 1], strip 0 may have both values 1, and strip 1 the values 4 and 9. Then ``of`` is [1, 0, 1, 0].
"""

import math
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray, PositionArray

_FINE = 8
"""The range of values is first divided into this many equal parts per strip; strips begin and end between parts."""

_SAMPLE = 16
"""At least this many values for each strip are sampled, to find where strips begin and end."""

_SLACK = 1e-12
"""The relative rounding error of the borders between strips is below this."""


class Strips(NamedTuple):
    """Entry ``e`` is in strip ``of[e]``; a value in a later strip is larger.

    No value of strip ``s`` is below ``lowest[s]`` or above ``highest[s]``.
    """

    of: PositionArray
    lowest: FloatArray
    highest: FloatArray


def strips_of(values: FloatArray, side: int) -> Strips:
    """Divide one or more ``values``, all at least 0, into about ``side`` strips with about equal numbers of values.

    A strip may also have a single distinct value that occurs often.
    """
    least, most, parts = float(values.min()), float(values.max()), _FINE * side
    every = max(1, len(values) // (_SAMPLE * side))
    # The few largest values must not make the parts too wide for all others.
    sample = np.sort(values[::every])
    top = float(sample[-1 - len(sample) // 64])
    scale = _ratio(parts, (top if top > least else most) - least)
    if not 0 < scale < math.inf:
        return Strips(np.zeros(len(values), dtype=np.int16), np.array([least]), np.array([most]))
    with np.errstate(over="ignore"):
        slots = values - least
        slots *= scale
    # Rounded up, so that values equal to the least one are separate from all others.
    part = np.ceil(np.minimum(slots, parts - 1, out=slots), out=slots).astype(np.int16)
    first, strip = cut(np.bincount(part[::every], minlength=parts), side)
    begins = least + (first - 1) / scale
    lowest, highest = begins * (1 - _SLACK), np.concatenate((begins[1:] * (1 + _SLACK), (most,)))
    lowest[0] = least
    highest[:-1][first[1:] == 1] = least
    return Strips(strip.astype(np.int16)[part], lowest, highest)


def _ratio(parts: int, width: float) -> float:
    return parts / width if width else 0.0


def cut(entries: IntArray, side: int) -> tuple[IntArray, IntArray]:
    """Divide positions into about ``side`` strips with about equal numbers of entries.

    Position i has ``entries[i]`` entries. Return the first position of each strip, and the strip of each position. A
    position with many entries is a strip of its own. Such a strip is never cut again.
    """
    after = entries.cumsum()
    total = int(after[-1])
    many = entries > -(-total // side)
    # The remaining entries are divided among the other strips, so these strips are finer.
    fair = max(1, -(-(total - int(entries[many].sum())) // side))
    nth = after // fair
    begins = np.ones(len(entries), dtype=np.bool_)
    np.not_equal(nth[1:], nth[:-1], out=begins[1:])
    begins[1:] |= many[:-1]
    return begins.nonzero()[0], begins.cumsum() - 1
