"""How slow a gang is whose members get pieces while they run: members on faster nodes get more of them.

Objective: the run time of load Pieces, as a multiple of that of as many members on reference nodes. So it takes the
place of the slow-down of the slowest member, which is what other gangs wait for.

Example: 4 pieces of a second on nodes of slow-downs 1 and 2. The faster member does 3 and the other 1, in 3 seconds. On
two reference nodes it would be 2 seconds, so the pace is 1.5. If all were as slow as the slowest, it would be 2.
"""

from typing import NamedTuple

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import SerialWork
from coschedule.pieces.apportion import apportion_times
from coschedule.pieces.piece_times import PieceTimes


class DealtPieces(NamedTuple):
    """The work that is left, in ``pieces`` equal pieces, one at least."""

    pieces: int
    work: SerialWork

    def pace(self, slowdowns: FloatArray) -> float:
        """Return the pace of one member at each of these slow-downs. More members than pieces get nothing."""
        size = len(slowdowns)
        times = PieceTimes.of_slowdowns(slowdowns, pieces=self.pieces, exact=False)
        last = float(apportion_times(self.pieces, times).turnaround)
        whole, serial = self.work.float_time(size), float(self.work.serial)
        return (last * serial / self.pieces + whole - serial / size) / whole
