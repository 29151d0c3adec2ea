"""The worth of a size, and so the objective of the choice of sizes.

Objective: maximise the sum over gangs of

    speed * (1 + age / T(fewest members)) * (1 - pause / H) / rest ** 0.75

``rest`` is the work that is left, in seconds of one member. ``speed`` is the work that is done in a second, in the same
unit. If one member alone cannot run, the unit is a member-second of the fewest members that can.

A gang with less work left has a greater weight, since shortest first is best for the mean turnaround. An older gang has
a greater weight, so that no gang stays small for ever. A gang that changes its size pauses for ``pause`` seconds. ``H``
is the time that the rest takes at the new size. As sizes will change again, ``H`` is at most ``HORIZON_SECONDS`` or the
least interval between changes, whichever is longer. The numbers were found by simulations of whole queues.
"""

from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.model.run_times import Work
from coschedule.queue.problem.sizes import Sizes

HORIZON_SECONDS = 1000.0
_POWER_OF_REST = 0.75


class SharedWork(NamedTuple):
    """The work of a gang, and the number of ``others``: members that also work, and whose number never changes.

    Sizes do not count the others.
    """

    work: Work
    others: int = 0

    def times(self, largest: int) -> FloatArray:
        """Return the run times of the sizes 1, ..., ``largest``, inf for sizes that are not allowed."""
        return self.work.float_times(largest + self.others)[self.others :]

    def time(self, size: int) -> float:
        """Return the run time of a size, inf if it is not allowed."""
        return self.work.float_time(size + self.others)

    def least(self, sizes: Sizes) -> int:
        """Return the least size with a finite run time."""
        able = sizes.between(1, sizes.maximum)
        return int(able[np.isfinite(self.times(sizes.maximum)[able - 1]).argmax()])


class Worth(NamedTuple):
    """The worth of the sizes of one gang: ``weight`` for each unit of its speed.

    ``rest`` is the work that is left, in the unit of the module's docstring. On nodes of slow-down 1, n members do the
    rest in ``times[n - 1]`` seconds.
    """

    weight: float
    rest: float
    times: FloatArray

    def of(
        self,
        sizes: IntArray,
        slowdowns: FloatArray,
        pauses: float | FloatArray = 0.0,
        horizon: float = HORIZON_SECONDS,
    ) -> FloatArray:
        """Return the worth of each size, with the gang's slow-down at this size, after a pause of ``pauses`` seconds.

        The change must make up for the pause within ``horizon`` seconds.
        """
        rests = self.rests(sizes, slowdowns)
        horizons = rests.clip(max=horizon)
        worths: FloatArray = self.weight * self.rest / rests * (1 - pauses / horizons)
        return worths

    def rests(self, sizes: IntArray, slowdowns: FloatArray) -> FloatArray:
        """Return the seconds that each size takes for the rest, with the gang's slow-down at this size."""
        rests: FloatArray = self.times[sizes - 1] * slowdowns
        return rests


def worth_of(sizes: Sizes, shared: SharedWork, *, left: float, age: float) -> Worth:
    """Return the worth of the sizes of a gang of ``age`` seconds; ``left`` is the part of its work that is not done."""
    least, alone = shared.least(sizes), shared.work.float_time(1)
    fewest = shared.time(least)
    rest = left * (alone if alone < np.inf else (least + shared.others) * fewest)
    return Worth((1 + max(age, 0.0) / fewest) / rest**_POWER_OF_REST, rest, left * shared.times(sizes.maximum))
