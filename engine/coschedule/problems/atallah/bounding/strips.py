"""Dividing numbers into strips of rising values without sorting them."""

import math
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray, PositionArray

_FINE = 8
"""Strips are cut between equal parts of the range of values, so many times as many as strips are wanted."""

_SAMPLE = 16
"""So many values a strip, or somewhat more, say where to cut."""

_SLACK = 1e-12
"""Of the borders between strips, which are rounded."""


class Strips(NamedTuple):
    """Entry ``e`` is in strip ``of[e]``; a value in a later strip is larger.

    No value of strip ``s`` is below ``lowest[s]`` or above ``highest[s]``.
    """

    of: PositionArray
    lowest: FloatArray
    highest: FloatArray


def strips_of(values: FloatArray, side: int) -> Strips:
    """Divide values, none negative and one at least, into strips that hold about one part in ``side``, or one value."""
    least, most, parts = float(values.min()), float(values.max()), _FINE * side
    every = max(1, len(values) // (_SAMPLE * side))
    # Whatever the few largest are, the others must be told apart.
    sample = np.sort(values[::every])
    top = float(sample[-1 - len(sample) // 64])
    scale = _ratio(parts, (top if top > least else most) - least)
    if not 0 < scale < math.inf:
        return Strips(np.zeros(len(values), dtype=np.int16), np.array([least]), np.array([most]))
    with np.errstate(over="ignore"):
        slots = values - least
        slots *= scale
    # Rounded up: what equals the least value is apart from all others.
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
    """Divide positions, of which each has some ``entries``, into strips that hold about one part in ``side`` of them.

    Return where each strip begins, and the strip of each position. A position that has many entries is a strip of its
    own: a strip of one position need never be told apart.
    """
    after = entries.cumsum()
    total = int(after[-1])
    many = entries > -(-total // side)
    # What has a strip of its own leaves finer strips to the rest.
    fair = max(1, -(-(total - int(entries[many].sum())) // side))
    nth = after // fair
    begins = np.ones(len(entries), dtype=np.bool_)
    np.not_equal(nth[1:], nth[:-1], out=begins[1:])
    begins[1:] |= many[:-1]
    return begins.nonzero()[0], begins.cumsum() - 1
