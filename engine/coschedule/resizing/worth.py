"""What a size is worth to all: the objective of changes of sizes.

The sum over gangs of

    speed * (1 + age / T(fewest members)) * (1 - pause / H) / left ** 0.75

is to be as large as can be. ``speed`` and ``left`` are the work per second and the work that is left, in seconds of one
member. Where one member alone cannot run, they are in member-seconds of the fewest that can.

A gang with little left counts for more: the shortest first are best for the mean turnaround. A gang that has been there
for long counts for more, so that no gang stays small for ever. A change pauses the gang. ``H`` is its rest at the new
size, but at most ``HORIZON_SECONDS``, since sizes will change again. The numbers were found by simulating whole queues.
"""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.model.run_times import Work
from coschedule.queue.problem.sizes import Sizes

HORIZON_SECONDS = 1000.0
_POWER_OF_REST = 0.75


class Worth(NamedTuple):
    """What sizes of one gang are worth: ``weight`` for each unit of its speed.

    ``rest`` are the units of work that are left, and n members do that in ``times[n - 1]`` seconds.
    """

    weight: float
    rest: float
    times: FloatArray

    def of(self, sizes: IntArray, slowdowns: FloatArray, pauses: float | FloatArray = 0.0) -> FloatArray:
        """Return what each size is worth, at the slow-down of its slowest node, after a pause of so many seconds."""
        rests = self.rests(sizes, slowdowns)
        horizons = rests.clip(max=HORIZON_SECONDS)
        worths: FloatArray = self.weight * self.rest / rests * (1 - pauses / horizons)
        return worths

    def rests(self, sizes: IntArray, slowdowns: FloatArray) -> FloatArray:
        """Return how many seconds each size runs from now on, at the slow-down of its slowest node."""
        rests: FloatArray = self.times[sizes - 1] * slowdowns
        return rests


def worth_of(sizes: Sizes, work: Work, *, left: float, age: float) -> Worth:
    """Return what the sizes of a gang are worth that has been there for ``age`` seconds, and has a part left."""
    times, least = work.float_times(sizes.maximum), least_size(sizes, work)
    fewest = float(times[least - 1])
    alone = float(times[0]) if times[0] < np.inf else least * fewest
    rest = left * alone
    return Worth((1 + max(age, 0.0) / fewest) / rest**_POWER_OF_REST, rest, left * times)


def least_size(sizes: Sizes, work: Work) -> int:
    """Return the fewest members for which a run time is known."""
    able = sizes.between(1, sizes.maximum)
    return int(able[np.isfinite(work.float_times(sizes.maximum)[able - 1]).argmax()])
