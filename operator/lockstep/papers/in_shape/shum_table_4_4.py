"""[C] table 4.4: a matrix multiplication, with and without dealing, if another program uses one workstation.

The other program takes half of that workstation. With dealing, members get pieces while they run; the paper calls this
local workload distribution. The paper prints the seconds for four sizes of data. Here, the ratios of these seconds are
compared, and the work is pieces of one size: blocks of the matrix.
"""

from collections.abc import Iterator

from lockstep.papers.row import Paper, PaperRow, Printed, Tolerance, in_shape
from lockstep.simulation.sweeps.dealing import DealtWork

# Seconds with a program of others: without dealing and with it, for the four sizes of data.
_PRINTED = {
    9: ((117, 69), (232, 132), (420, 230), (488, 285)),
    3: ((353, 221), (538, 402), (971, 744), (1301, 928)),
}
_PIECES_OF_MEMBER = 40
_TOLERANCE = Tolerance(0.06)


def rows() -> Iterator[PaperRow]:
    """Yield the time with dealing divided by the time without it, on nine and on three workstations."""
    for members, seconds in _PRINTED.items():
        ratios = [dealt / fixed for fixed, dealt in seconds]
        work = DealtWork(pieces=_PIECES_OF_MEMBER * members, stated=[1.0] * members, real=[0.5, *[1.0] * (members - 1)])
        what = f"{members} workstations, one half as fast: dealt while they run / dealt beforehand"
        printed = Printed(round(min(ratios), 2), round(max(ratios), 2))
        yield in_shape(Paper.SHUM, "table 4.4", what, printed, work.while_running() / work.beforehand(), _TOLERANCE)
