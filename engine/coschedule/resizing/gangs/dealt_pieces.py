"""The pace of a gang of load Pieces: its members get pieces while they run, and faster members get more of them.

The pace is the run time on the gang's nodes, divided by the run time of as many members on reference nodes. The pace of
a gang of another load is the slow-down of its slowest member.

Example: 4 pieces of a second on nodes of slow-downs 1 and 2. The faster member does 3 pieces and the other member does
1, in 3 seconds. On two reference nodes the gang would need 2 seconds, so the pace is 1.5. If both members got 2 pieces,
the pace would be 2.
"""

from typing import NamedTuple

from coschedule.model.numbers import FloatArray
from coschedule.model.run_times import SerialWork
from coschedule.pieces.apportion import apportion_times
from coschedule.pieces.piece_times import PieceTimes


class DealtPieces(NamedTuple):
    """The work that is left, in ``pieces`` equal pieces; there is at least one."""

    pieces: int
    work: SerialWork

    def pace(self, slowdowns: FloatArray) -> float:
        """Return the pace of a gang with one member at each of these slow-downs; some members may get no piece."""
        size = len(slowdowns)
        times = PieceTimes.of_slowdowns(slowdowns, pieces=self.pieces, exact=False)
        last = float(apportion_times(self.pieces, times).turnaround)
        whole, serial = self.work.float_time(size), float(self.work.serial)
        return (last * serial / self.pieces + whole - serial / size) / whole
