"""How fast gangs do their work at their present size, measured by the progress that members report.

Times are monotonic, so a change of the clock does not matter. A measurement goes from one rise of the progress to
another that comes at least ``LEAST_SECONDS`` later. So the first value of a program, which may include work before a
checkpoint, does not count. The median of the last few measurements is taken, so that a single jump has no effect.
"""

from collections import deque
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from coschedule import GangKey, UnitTime
from lockstep.facts.gang.gang import AcceptedGang, GangFact

LEAST_SECONDS = 60.0
LEAST_MEASUREMENTS = 3
_MOST_MEASUREMENTS = 5
# In seconds: the API allows no more.
_MOST_SECONDS = 2**31 - 1


class _Running(NamedTuple):
    """The members that are measured. If other members or another number of them run, they are measured anew."""

    gang_uid: str
    attempt: int
    size: int
    member_changes: int


class _Rise(NamedTuple):
    """A rise of the progress: its time, and the part of the work that is done."""

    at: float
    part: float


@dataclass(slots=True, kw_only=True)
class _Observed:
    """The observations of a gang with these members. ``since`` is the rise at which the current measurement begins."""

    running: _Running
    part: float
    since: _Rise | None = None
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST_MEASUREMENTS))

    def see(self, rise: _Rise) -> None:
        """Record a part of the work that may differ from the last one. A lower part begins a new measurement."""
        if rise.part == self.part:
            return
        is_lower, self.part = rise.part < self.part, rise.part
        if is_lower:
            self.since = None
        elif self.since is None:
            self.since = rise
        elif rise.at - self.since.at >= LEAST_SECONDS:
            self.seconds.append((rise.at - self.since.at) / (rise.part - self.since.part))
            self.since = rise


def is_measured(gang: GangFact) -> bool:
    """Whether sizes of the gang are compared by reported progress: its size may change, and its work is unknown."""
    return isinstance(gang, AcceptedGang) and gang.spec.elastic is not None and gang.spec.work is None


class ObservedUnitTimes:
    """The seconds that the whole work of each elastic gang without ``work`` would take at its present size."""

    def __init__(self) -> None:
        self._observed: dict[GangKey, _Observed] = {}

    def record(self, gang: GangFact, size: int, part: str, monotonic: float) -> None:
        """Record the part of the work that the members of a gang of that size report now; '' if none reports."""
        if not part:
            return
        running = _Running(gang.uid, gang.status.attempt, size, gang.status.member_changes)
        observed = self._observed.get(gang.key)
        if observed is None or observed.running != running:
            self._observed[gang.key] = _Observed(running=running, part=float(part))
        else:
            observed.see(_Rise(monotonic, float(part)))

    def measured(self, gang: GangKey) -> UnitTime | None:
        """The unit time of the gang at the size at which it was last seen; None before enough measurements."""
        observed = self._observed.get(gang)
        if observed is None or len(observed.seconds) < LEAST_MEASUREMENTS:
            return None
        seconds = round(median(observed.seconds))
        return UnitTime(observed.running.size, float(min(max(seconds, 1), _MOST_SECONDS)))

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that has ended or no longer runs."""
        self._observed.pop(gang, None)
