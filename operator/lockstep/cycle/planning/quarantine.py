"""Quarantine: gangs whose planning raised are left out of the next plans, so that the other gangs are planned.

Each quarantined gang is planned again when its spec changes, otherwise after a pause that doubles.
"""

from collections.abc import Callable
from dataclasses import dataclass

from coschedule import GangKey, Unplaceable, failed
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


class Quarantine:
    """The quarantined gangs and the ends of their pauses, which are monotonic. ``count`` counts gangs that raise."""

    def __init__(self, monotonic: Callable[[], float], count: Callable[[], None]) -> None:
        self._monotonic = monotonic
        self._count = count
        self._by_gang: dict[GangKey, _QuarantineEntry] = {}

    def put(self, gang: GangFact, error: Exception) -> None:
        """Leave the gang out from now on. The pause is twice as long as last time if the spec is unchanged."""
        self._count()
        before = self._entry(gang)
        pause = _FIRST_PAUSE_SECONDS if before is None else min(2 * before.pause, _LONGEST_PAUSE_SECONDS)
        self._by_gang[gang.key] = _QuarantineEntry(
            gang_uid=gang.uid,
            generation=gang.generation,
            decision=failed(gang.key, error),
            pause=pause,
            again_at=self._monotonic() + pause,
        )

    def contains(self, gang: GangFact) -> bool:
        """Whether to leave the gang out now."""
        entry = self._entry(gang)
        return entry is not None and self._monotonic() < entry.again_at

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that was deleted or planned."""
        self._by_gang.pop(gang, None)

    def decision(self, gang: GangKey) -> Unplaceable:
        """The refusal of a quarantined gang."""
        return self._by_gang[gang].decision

    def next_end(self, since: float) -> float:
        """The first time after ``since`` at which a gang leaves quarantine; infinity if there is none."""
        return min((entry.again_at for entry in self._by_gang.values() if entry.again_at > since), default=float("inf"))

    def _entry(self, gang: GangFact) -> _QuarantineEntry | None:
        entry = self._by_gang.get(gang.key)
        if entry is None or (entry.gang_uid, entry.generation) != (gang.uid, gang.generation):
            return None
        return entry
