"""How the size of a gang may change while it runs, and the size that comes next."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule import ChangeTerms, Members

_MOST_TIMES = 4
_MOST_DOUBLINGS = 6
LONGEST_NOTICE_SECONDS = 120.0
"""The longest time for which members may prepare a change of size of which they have notice."""


class ChangeMode(StrEnum):
    """How a gang changes its size: all members end and begin again, or members come and go while the others run."""

    RESTART = "Restart"
    MEMBERS = "Members"


class ElasticSpec(NamedTuple):
    """How the size of a gang may change while it runs.

    A change takes about ``restart_time`` seconds, in which no work is done. It happens at most once in ``min_interval``
    seconds. If ``size`` is given, the gang is to have that many members. If it ``has_notice``, its members can read of
    a change before it begins.
    """

    restart_time: float
    min_interval: float
    size: int | None = None
    has_notice: bool = False
    mode: ChangeMode = ChangeMode.RESTART

    @property
    def keeps_members(self) -> bool:
        """Whether members come and go while the others run."""
        return self.mode is ChangeMode.MEMBERS

    def terms(self, last: "LastChange | None", failed_joins: int = 0) -> ChangeTerms:
        """The terms of the next change for planning, once the gang has made the ``last`` one.

        ``failed_joins`` is how often in a row members could not join the gang. Each time doubles the least interval.

        The next change is expected to take as long as the last one, but ``restart_time`` at least: it is not observed
        when the program works again. It is also expected to take four times ``restart_time`` at most. So one slow
        change, such as by an image that could not be pulled, does not keep the gang from all later ones.
        """
        took = 0.0 if last is None or last.seconds is None else last.seconds
        interval = self.min_interval * 2 ** min(failed_joins, _MOST_DOUBLINGS)
        return ChangeTerms(max(self.restart_time, min(took, _MOST_TIMES * self.restart_time)), interval)


class LastChange(NamedTuple):
    """The last change of size: when it began, and how many seconds it took until all members of the new size ran.

    Until all of these have run, ``seconds`` is what the change before it took; None if there was none before.
    """

    began_at: float
    seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSize:
    """The size with which a gang goes on; room for these ``members`` is kept for it.

    Either the present members end first, or others join them.

    It was decided at ``decided_at``, because of ``why``, a clause for users. The gang is then expected to end at
    ``expected_finish``, None where that is unknown.

    ``begins_at`` is given if the members have notice of the change. They go on working until then at the latest. Once
    they were asked to end, it is the time at which that happened.
    """

    members: tuple[Members, ...]
    decided_at: float
    expected_finish: float | None
    why: str
    begins_at: float | None = None

    @property
    def asked_to_end_at(self) -> float:
        """When the members of the present size are asked to end, at the latest."""
        return self.decided_at if self.begins_at is None else self.begins_at

    @property
    def size(self) -> int:
        """The number of members."""
        return sum(entry.count for entry in self.members)
