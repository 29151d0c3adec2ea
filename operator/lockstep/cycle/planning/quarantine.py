"""Gangs that made the planner raise: left out of the next plans, so that the others are planned without them.

Each is looked at again at once when its spec changes, and otherwise after a pause that doubles.
"""

from dataclasses import dataclass

from coschedule import GangKey, Unplaceable
from lockstep.facts.gang.gang import GangFact

_FIRST_PAUSE_SECONDS = 10.0
_LONGEST_PAUSE_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _QuarantineEntry:
    gang_uid: str
    generation: int
    decision: Unplaceable
    pause: float
    again_at: float


class SetAside:
    """Remembers who is set aside, and until when. Times are of the clock for intervals."""

    def __init__(self) -> None:
        self._by_gang: dict[GangKey, _QuarantineEntry] = {}

    def put(self, gang: GangFact, decision: Unplaceable, now: float) -> None:
        """Leave the gang out from now on; longer than last time, if it is still the same spec."""
        before = self._entry(gang)
        pause = _FIRST_PAUSE_SECONDS if before is None else min(2 * before.pause, _LONGEST_PAUSE_SECONDS)
        self._by_gang[gang.key] = _QuarantineEntry(
            gang_uid=gang.uid, generation=gang.generation, decision=decision, pause=pause, again_at=now + pause
        )

    def holds(self, gang: GangFact, now: float) -> bool:
        """Whether the gang is to be left out now."""
        entry = self._entry(gang)
        return entry is not None and now < entry.again_at

    def forget(self, gang: GangKey) -> None:
        """The gang is gone, or was planned."""
        self._by_gang.pop(gang, None)

    def decision(self, gang: GangKey) -> Unplaceable:
        """What there is to tell of a gang that is set aside."""
        return self._by_gang[gang].decision

    def next_look(self, now: float) -> float:
        """When the first of them is looked at again; infinity where there is none."""
        return min((entry.again_at for entry in self._by_gang.values() if entry.again_at > now), default=float("inf"))

    def _entry(self, gang: GangFact) -> _QuarantineEntry | None:
        entry = self._by_gang.get(gang.key)
        if entry is None or (entry.gang_uid, entry.generation) != (gang.uid, gang.generation):
            return None
        return entry
