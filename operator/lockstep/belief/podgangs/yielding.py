"""Gangs that can give way to urgent gangs: as far as is known, the owners of their pods can be suspended."""

from collections.abc import Callable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.source import Source, maker_of
from lockstep.facts.reasons import Reason

# An obstacle to a suspension is remembered for this time, in seconds. It may pass, for example when the owner leaves a
# queue of Kueue. Another try costs a few requests.
_REMEMBERED_SECONDS = 600.0


class _CannotYield(NamedTuple):
    """The owner of a Gang's pods can't be suspended ``until`` that time."""

    owner: str
    until: float


class TakenAttempt(NamedTuple):
    """An attempt of a Gang that ends because the Gang gives way to another gang.

    ``reason`` is the reason of the condition Preempted, and the clause ``why`` names the other gang. ``started_at`` is
    the time at which all members of the attempt had started, in seconds since 1970.
    """

    uid: str
    number: int
    started_at: float | None
    reason: Reason
    why: str

    def is_last_of(self, gang: GangFact) -> bool:
        """Whether this is the gang's last attempt by its status, and no other scheduler has bound its pods since."""
        status = gang.status
        is_same = (gang.uid, status.attempt) == (self.uid, self.number)
        return is_same and status.started_at in (None, self.started_at)


class YieldingGangs:
    """The Gangs that give way, and the Gangs that can't.

    ``changed`` is called when a source is allowed, and when an obstacle is found or has expired. No Gang can give way
    until a source is allowed. An obstacle is forgotten after ten minutes, or with its Gang.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._allowed: set[Source] = set()
        self._kept: dict[GangKey, _CannotYield] = {}
        self.suspended: set[GangKey] = set()
        """The Gangs whose owners are being suspended, so that their pods leave."""
        self.unreported: dict[GangKey, TakenAttempt] = {}
        """The Gangs that have given way, and whose status does not say so yet."""

    def allow(self, *sources: Source) -> None:
        """Allow that owners of pods of these sources are suspended."""
        if not self._allowed.issuperset(sources):
            self._allowed.update(sources)
            self._changed()

    @property
    def allowed(self) -> frozenset[Source]:
        """The sources of pods whose owners may be suspended."""
        return frozenset(self._allowed)

    def keep(self, gang: PodGang, now: float) -> None:
        """Record that the owner of the Gang's pods can't be suspended."""
        self._kept[gang.key] = _CannotYield(gang.made_for or "", now + _REMEMBERED_SECONDS)
        self._changed()

    def begin(self, gang: GangKey) -> None:
        """Record that the owner of the Gang's pods is being suspended, so that these pods leave."""
        self.suspended.add(gang)

    def end(self, gang: GangKey) -> None:
        """Record that the owner is resumed, or was not suspended."""
        self.suspended.discard(gang)

    def forget(self, gang: GangKey) -> None:
        """Forget why a Gang that is gone could not give way. ``suspended`` stays, as its pods may still leave."""
        self._kept.pop(gang, None)

    def expire(self, now: float) -> None:
        """Forget the obstacles that were found too long ago, or before the clock was set back."""
        over = [gang for gang, kept in self._kept.items() if not now < kept.until <= now + 2 * _REMEMBERED_SECONDS]
        for gang in over:
            del self._kept[gang]
        if over:
            self._changed()

    def next_end(self) -> float:
        """The time at which the next obstacle is forgotten; infinity if none is remembered."""
        return min((kept.until for kept in self._kept.values()), default=float("inf"))

    def can(self, gang: PodGang) -> bool:
        """Whether the Gang is expected to give way: no known obstacle prevents a suspension."""
        named = maker_of(object_name(gang.key))
        if gang.made_for is None or named is None or named[0] not in self._allowed:
            return False
        kept = self._kept.get(gang.key)
        return gang.key not in self.suspended and (kept is None or kept.owner != gang.made_for)
