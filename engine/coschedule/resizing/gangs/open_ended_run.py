"""A gang that runs and whose end is unknown, so that its sizes are compared by measured speeds."""

from collections.abc import Iterable
from dataclasses import dataclass

from coschedule.queue.problem.size_change import SizeChange
from coschedule.resizing.gangs.sized_run import SizedRun
from coschedule.resizing.unit_times import UnitTime, check_unit_times

LEAST_GROWTH = 1.2
"""A gang of unknown end grows only if its speed is multiplied by at least this number.

A change stops all members for the restart time, such as two minutes. At 1.2 times its speed, a gang regains these two
minutes within ten minutes. Ten minutes is also the default of the least time between two changes.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEndedRun(SizedRun):
    """A gang that runs and whose end is unknown, so that its sizes can't be compared by time.

    Its sizes are compared by ``unit_times``, if one of these is of the present size. There is one unit time for each
    size at which the gang's progress was measured. ``end`` is inf, or the next estimate for a gang that runs for longer
    than expected. ``least`` is the size that the gang got when it started. The gang shrinks below ``least`` only if
    such a size is asked of it, if it is measured, or if it would be evicted otherwise. It gives no room to gangs of a
    lower ``priority``. Raises ValueError for invalid numbers.
    """

    priority: int
    least: int
    unit_times: tuple[UnitTime, ...] = ()

    def __post_init__(self) -> None:
        SizedRun.__post_init__(self)
        check_unit_times(self.unit_times)

    @property
    def is_measured(self) -> bool:
        """Whether the gang's speed at its present size is known, so that other sizes can be compared with this size."""
        return any(one.size == self.size for one in self.unit_times)

    @property
    def largest(self) -> int:
        """The largest size that the gang may get.

        If a size is asked, it is this size, or the present size if the asked one is not allowed. Otherwise it is the
        present size if that meets the deadline, else the largest of ``sizes``.
        """
        if self.asked is None:
            return self.size if self.meets_its_deadline else self.sizes.maximum
        return self.asked if self.is_due else self.size

    @property
    def least_growth(self) -> float:
        """The gang grows only if it becomes at least this many times as fast."""
        return LEAST_GROWTH

    @property
    def end_after_change(self) -> float:
        """When the gang ends if its size changes now: a restart time later, as its speed at other sizes is unknown."""
        return self.end + self.terms.restart_time

    def change_to(self, nodes: Iterable[int], end: float) -> SizeChange:
        """Return the change of a gang of unknown end."""
        return SizedRun.change_to(self, nodes, end)._replace(is_open_ended=True)
