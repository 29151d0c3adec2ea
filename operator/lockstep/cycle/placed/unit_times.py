"""How fast the work of gangs gets done at their present size, from how the progress rises that members report.

Times are monotonic, so that a clock which is set back spoils none. A measurement goes from one rise to another that
comes ``LEAST_SECONDS`` later or more. So the value with which a program begins, the first one after a checkpoint, and
what it did before do not count. The median of the last few is taken: one jump among them counts for nothing.
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
# The API allows no more. A program that is slower reports nothing from which a size could be chosen.
_MOST_SECONDS = 2**31 - 1


class _Running(NamedTuple):
    """What runs: other members, or another number of them, are measured anew."""

    gang_uid: str
    attempt: int
    size: int
    member_changes: int


class _Rise(NamedTuple):
    """When the progress rose, and to what part of the work."""

    at: float
    part: float


@dataclass(slots=True, kw_only=True)
class _Observed:
    """What was observed of the gang that runs like this; ``since`` is the rise from which is measured."""

    running: _Running
    part: float
    since: _Rise | None = None
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=_MOST_MEASUREMENTS))

    def see(self, rise: _Rise) -> None:
        """See a part of the work that may differ from the last one; a lower one begins anew."""
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
    """Whether sizes of the gang may be compared by its progress: they vary, and its work is unknown."""
    return isinstance(gang, AcceptedGang) and gang.spec.elastic is not None and gang.spec.work is None


class ObservedUnitTimes:
    """For how many seconds each elastic gang without ``work`` would run at its present size, from 0 to 1."""

    def __init__(self) -> None:
        self._observed: dict[GangKey, _Observed] = {}

    def record(self, gang: GangFact, size: int, part: str, monotonic: float) -> None:
        """Record the part of the work that members of a gang of that size report now; '' where none does."""
        if not part:
            return
        running = _Running(gang.uid, gang.status.attempt, size, gang.status.member_changes)
        observed = self._observed.get(gang.key)
        if observed is None or observed.running != running:
            self._observed[gang.key] = _Observed(running=running, part=float(part))
        else:
            observed.see(_Rise(monotonic, float(part)))

    def measured(self, gang: GangKey) -> UnitTime | None:
        """The unit time of the gang at the size at which it was last seen; None before it was measured."""
        observed = self._observed.get(gang)
        if observed is None or len(observed.seconds) < LEAST_MEASUREMENTS:
            return None
        seconds = round(median(observed.seconds))
        return UnitTime(observed.running.size, float(min(max(seconds, 1), _MOST_SECONDS)))

    def forget(self, gang: GangKey) -> None:
        """Drop the gang: it has ended or no longer runs."""
        self._observed.pop(gang, None)
