"""Which gangs are evicted, or shrink, for which: as statuses say, and as decided but not written yet."""

from collections.abc import Callable

from coschedule import GangKey
from lockstep.api.preemption import Preemptor, named_preemptor, shrinks_for
from lockstep.belief.gangs.gang_uids import GangUids
from lockstep.facts.gang.gang import GangFact, GangStatus
from lockstep.facts.reasons import Condition, Reason


def evicted_for(status: GangStatus) -> Preemptor | None:
    """The gang for which a gang with that status is evicted and not placed again; None if there is none."""
    condition = status.condition(Condition.PREEMPTED)
    return named_preemptor(condition.message) if condition is not None and condition.status == "True" else None


def shrunk_for(status: GangStatus) -> Preemptor | None:
    """The gang for which a gang with that status has shrunk, if it gave way in no other way since."""
    condition = status.condition(Condition.PREEMPTED)
    is_shrunk = condition is not None and condition.reason == Reason.SHRUNK_FOR_GANG
    return shrinks_for(condition.message) if condition is not None and is_shrunk else None


class Preemptors:
    """The preemptor of each gang that gives way in one manner, which ``named_in`` reads from a status.

    With ``evicted_for`` these are gangs that are evicted, until they are placed again. With ``shrunk_for`` they are
    gangs that shrink, and the preemptor is the last one.
    """

    def __init__(
        self, changed: Callable[[], None], named_in: Callable[[GangStatus], Preemptor | None], uids: GangUids
    ) -> None:
        self._changed = changed
        self._named_in = named_in
        self._uids = uids
        self._decided: dict[GangKey, Preemptor] = {}
        self._reported: dict[GangKey, Preemptor] = {}
        self._victims: dict[Preemptor, set[GangKey]] = {}

    def decide(self, victim: GangKey, preemptor: GangKey) -> None:
        """The victim will give way to that gang; its status does not say so yet."""
        self._decided[victim] = preemptor
        self._victims.setdefault(preemptor, set()).add(victim)
        self._changed()

    def is_decided(self, gang: GangKey) -> bool:
        """Whether it is decided that the gang gives way, and not done yet."""
        return gang in self._decided

    def read_status(self, gang: GangFact) -> None:
        """Read the preemptor from the gang's status."""
        reported = self._named_in(gang.status)
        if reported != self._reported.get(gang.key):
            self._leave(self._reported, gang.key)
            if reported is not None:
                self._reported[gang.key] = reported
                self._victims.setdefault(reported, set()).add(gang.key)

    def finalize(self, victim: GangKey) -> None:
        """The gang holds nothing any more: from now on only its status counts."""
        self._leave(self._decided, victim)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._leave(self._decided, gang)
        self._leave(self._reported, gang)

    def preemptor_of(self, victim: GangKey) -> GangKey | None:
        """The gang to which this one gives way or gave way; None if there is none, or if that is over."""
        return self._uids.key(self._decided.get(victim) or self._reported.get(victim))

    def victims_of(self, gang: GangKey) -> tuple[GangKey, ...]:
        """The gangs that give way or gave way to this one, by key, until that is over."""
        uid = self._uids.uid(gang)
        named = self._victims.get(gang, set())
        return tuple(sorted(named if uid is None else named | self._victims.get(uid, set())))

    def _leave(self, preemptors: dict[GangKey, Preemptor], victim: GangKey) -> None:
        preemptor = preemptors.pop(victim, None)
        if preemptor is None or preemptor in (self._decided.get(victim), self._reported.get(victim)):
            return
        victims = self._victims[preemptor]
        victims.discard(victim)
        if not victims:
            del self._victims[preemptor]


class GivingWay:
    """The gangs that give way: those that are ``evicted``, and those that have ``shrunk``.

    ``changed`` is called when it is decided that one gives way. Statuses name some preemptors by UID, so ``uids`` has
    those of all gangs.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.uids = GangUids()
        self.evicted = Preemptors(changed, evicted_for, self.uids)
        self.shrunk = Preemptors(changed, shrunk_for, self.uids)

    def read_status(self, gang: GangFact) -> None:
        """Read from a gang's status for which gang it gives way."""
        self.uids.learn(gang)
        self.evicted.read_status(gang)
        self.shrunk.read_status(gang)

    def finalize(self, victim: GangKey) -> None:
        """The gang holds nothing any more: from now on only its status counts."""
        self.evicted.finalize(victim)
        self.shrunk.finalize(victim)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self.uids.forget(gang)
        self.evicted.forget(gang)
        self.shrunk.forget(gang)
