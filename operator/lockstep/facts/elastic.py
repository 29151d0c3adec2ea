"""The ways in which the size of a gang may change while it runs, and the size that comes next."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule import ChangeTerms, Members

_MOST_TIMES = 4
_MOST_DOUBLINGS = 6
# If a change loses work, the time between two changes is at least this many times the lost time. So lost work costs a
# gang at most a tenth of its time.
_LOSSES_APART = 10
MOST_UNIT_TIMES = 20
"""A status keeps the speed of work for at most this many sizes; the API allows no more."""
LONGEST_NOTICE_SECONDS = 120.0
"""The longest time for which members with notice may prepare a change of size."""


class ChangeMode(StrEnum):
    """How a gang changes its size: all members end and begin again, or members come and go while the others run."""

    RESTART = "Restart"
    MEMBERS = "Members"


class ElasticSpec(NamedTuple):
    """The terms on which the size of a gang may change while it runs.

    A change takes about ``restart_time`` seconds, in which no work is done. It happens at most once in ``min_interval``
    seconds. If ``size`` is given, the gang should have that many members. If the gang ``has_notice``, its members can
    read about a change before the change begins.

    In addition, each change costs the work of ``lost`` seconds, which members repeat.
    """

    restart_time: float
    min_interval: float
    size: int | None = None
    has_notice: bool = False
    mode: ChangeMode = ChangeMode.RESTART
    lost: float = 0.0

    @property
    def keeps_members(self) -> bool:
        """Whether members come and go while the others run."""
        return self.mode is ChangeMode.MEMBERS

    def terms(self, last: "LastChange | None", failed_joins: int = 0, *, learned: float | None = None) -> ChangeTerms:
        """The terms of the next change for planning, after the gang's ``last`` change.

        ``failed_joins`` is the number of times in a row that members could not join the gang. Each of the first six
        doubles the least interval.

        The next change is expected to take as long as the last one. Until the first one has ended, the ``learned``
        seconds of other gangs count, if these are known. A change is expected to take at least ``restart_time``, as
        Lockstep does not observe when the program works again. It is expected to take at most four times
        ``restart_time``. So one slow change, for example because an image could not be pulled, does not prevent all
        later changes. The work that is ``lost`` comes on top.
        """
        took = (learned or 0.0) if last is None or last.seconds is None else last.seconds
        interval = self.min_interval * 2 ** min(failed_joins, _MOST_DOUBLINGS)
        interval = max(interval, _LOSSES_APART * self.lost)
        takes = max(self.restart_time, min(took, _MOST_TIMES * self.restart_time))
        return ChangeTerms(takes + self.lost, interval, self.lost)


class LastChange(NamedTuple):
    """The last change of size: when it began, and how many seconds it took until all members of the new size ran.

    Until all of these run, ``seconds`` is the duration of the previous change; None if there was none.
    """

    began_at: float
    seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSize:
    """The size with which a gang goes on. Room for these ``members`` is kept for the gang.

    Either the present members end first, or others join them.

    The size was decided at ``decided_at``, because of ``why``, a clause for users. The gang is then expected to end at
    ``expected_finish``, None if that is unknown.

    ``begins_at`` is given if the members have notice of the change. They go on working until then at the latest. Once
    they were asked to end, ``begins_at`` is the time of that request.
    """

    members: tuple[Members, ...]
    decided_at: float
    expected_finish: float | None
    why: str
    begins_at: float | None = None

    @property
    def asked_to_end_at(self) -> float:
        """The latest time at which the members of the present size are asked to end."""
        return self.decided_at if self.begins_at is None else self.begins_at

    @property
    def size(self) -> int:
        """The number of members."""
        return sum(entry.count for entry in self.members)
