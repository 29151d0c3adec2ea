"""Places a job's pieces on given processors: earliest finish, then fewest processors, then fewest moves.

``apportion`` gives the turn-around, and ``compress`` the processors. Among processors with equal room, processors that
already hold more pieces of the job come first. Pieces stay on their processor as far as there is room. On the chosen
processors, no other counts need fewer moves.
"""

from collections.abc import Mapping

import numpy as np

from coschedule.model.numbers import Number
from coschedule.pieces.apportion import apportion_times
from coschedule.pieces.piece_times import PieceTimes, is_rational
from coschedule.problems.al_saqabi.compress import fill_largest


def place_on_processors(pieces: int, speeds: Mapping[str, Number], held: Mapping[str, int]) -> dict[str, int]:
    """Return the number of pieces on each processor of ``speeds`` that is used.

    ``held`` has the present number of pieces on each processor, at most ``pieces`` together. It may name other
    processors too. O(n log n). Source: [S 4.1, 4.2], and [S 3] for moves only where needed.
    """
    names = sorted(speeds, key=lambda name: (-held.get(name, 0), name))
    own = [speeds[name] for name in names]
    piece_times = PieceTimes.of_speeds(own, pieces=pieces, exact=is_rational(own))
    room = piece_times.most_within(apportion_times(pieces, piece_times).turnaround, pieces)
    filled = fill_largest(room, pieces)
    assert filled is not None, "processors keep their own turn-around"
    chosen = [names[index] for index in np.flatnonzero(filled)]
    space = {name: int(most) for name, most in zip(names, room, strict=True)}
    counts = {name: min(held.get(name, 0), space[name]) for name in chosen}
    missing = pieces - sum(counts.values())
    for name in chosen:
        more = min(missing, space[name] - counts[name])
        counts[name] += more
        missing -= more
    return counts
