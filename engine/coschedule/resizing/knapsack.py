"""An exact multiple-choice knapsack: one option for each item, with the greatest sum of worths in a number of seats.

Method: dynamic programming over the seats, item by item. The number of steps is the number of all options times the
number of seats.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray

_IMPOSSIBLE = -np.inf


class SizeOptions(NamedTuple):
    """The options of one item: option ``k`` takes ``seats[k]`` seats and is worth ``worths[k]``."""

    seats: IntArray
    worths: FloatArray


class FirstItems(NamedTuple):
    """The first ``number`` items together take at most ``seats`` seats."""

    number: int
    seats: int


def best_options(items: Sequence[SizeOptions], seats: int, first: FirstItems | None = None) -> tuple[int, ...] | None:
    """Choose one option for each item; return the indices. All together take at most ``seats`` seats.

    The sum of worths is the greatest possible. If several choices have this sum, the last item gets its earliest
    option, then the item before it, and so on. Return None if no choice fits.
    """
    first = first or FirstItems(0, seats)
    best = np.zeros(seats + 1)
    chosen: list[IntArray] = []
    for number, item in enumerate(items, 1):
        table = np.full((len(item.seats), seats + 1), _IMPOSSIBLE)
        for option, (taken, worth) in enumerate(zip(item.seats.tolist(), item.worths.tolist(), strict=True)):
            if taken <= seats:
                table[option, taken:] = best[: seats + 1 - taken] + worth
        option_of = table.argmax(axis=0)
        chosen.append(option_of)
        best = np.take_along_axis(table, option_of[np.newaxis], axis=0)[0]
        if number == first.number:
            best[first.seats :] = best[first.seats]
    return None if best[seats] == _IMPOSSIBLE else _traced_back(items, chosen, seats, first)


def _traced_back(
    items: Sequence[SizeOptions], chosen: Sequence[IntArray], seats: int, first: FirstItems
) -> tuple[int, ...]:
    options = []
    for number in reversed(range(len(items))):
        if number + 1 == first.number:
            seats = min(seats, first.seats)
        option = int(chosen[number][seats])
        options.append(option)
        seats -= int(items[number].seats[option])
    return tuple(reversed(options))
