"""How the size of a gang may change while it runs, and the size that comes next."""

from dataclasses import dataclass
from typing import NamedTuple

from coschedule import ChangeTerms, Members


class ElasticSpec(NamedTuple):
    """How the size of a gang may change while it runs: its members end, and it goes on at another size.

    A change takes about ``restart_time`` seconds, in which no work is done. It happens at most once in ``min_interval``
    seconds. If ``size`` is given, the gang is to have so many members.
    """

    restart_time: float
    min_interval: float
    size: int | None = None

    @property
    def terms(self) -> ChangeTerms:
        """The terms of a change for planning."""
        return ChangeTerms(self.restart_time, self.min_interval)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextSize:
    """The size with which a gang goes on once its members have ended; room for these ``members`` is kept for it.

    It was decided at ``decided_at``, because of ``why``, a clause for users. The gang is then expected to end at
    ``expected_finish``, None where that is unknown.
    """

    members: tuple[Members, ...]
    decided_at: float
    expected_finish: float | None
    why: str

    @property
    def size(self) -> int:
        """The number of members."""
        return sum(entry.count for entry in self.members)
