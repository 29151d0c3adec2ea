"""Gangs that are evicted, or shrink, for other gangs: by their statuses, or by decisions that are not written yet."""

from collections.abc import Callable

from coschedule import GangKey
from lockstep.api.preemption import Preemptor, named_preemptor, shrinks_for
from lockstep.belief.gangs.gang_uids import GangUids
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason


def evicted_for(status: GangStatus) -> Preemptor | None:
    """The gang for which a gang with that status is evicted and not placed again; None if there is none."""
    condition = status.condition(Condition.PREEMPTED)
    return named_preemptor(condition.message) if condition is not None and condition.status == "True" else None


def shrunk_for(status: GangStatus) -> Preemptor | None:
    """The gang for which a gang with that status shrinks or has shrunk; None if it last gave way in another manner."""
    condition = status.condition(Condition.PREEMPTED)
    is_shrunk = condition is not None and condition.reason == Reason.SHRUNK_FOR_GANG
    return shrinks_for(condition.message) if condition is not None and is_shrunk else None


class Preemptors:
    """The gangs that give way by evictions, or those that give way by shrinks, each with its preemptor.

    ``named_in`` reads the preemptor from a status. If it is ``evicted_for``, the gangs are evicted ones, until they are
    placed again. If it is ``shrunk_for``, they are gangs that have shrunk, each with the gang for which it shrank last.
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
        """Record that the victim will give way to that gang; the victim's status does not say so yet.

        This replaces an earlier decision, which is still there if the teardown has stopped with an error.
        """
        self._leave(self._decided, victim)
        self._decided[victim] = preemptor
        self._victims.setdefault(preemptor, set()).add(victim)
        self._changed()

    def is_decided(self, gang: GangKey) -> bool:
        """Whether this process has decided that the gang gives way, and the gang still holds something."""
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
        """Forget the decision about a gang that holds nothing any more: from now on only its status counts."""
        self._leave(self._decided, victim)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._leave(self._decided, gang)
        self._leave(self._reported, gang)

    def preemptor_of(self, victim: GangKey) -> GangKey | None:
        """The gang to which this gang gives way or gave way, by a decision or its status; None if there is none."""
        return self._uids.key(self._decided.get(victim) or self._reported.get(victim))

    def victims_of(self, gang: GangKey) -> tuple[GangKey, ...]:
        """The gangs that give way or gave way to this gang, by decisions or their statuses, in the order of keys."""
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
    """The gangs that are ``evicted``, and the gangs that have ``shrunk``, for other gangs.

    ``changed`` is called when it is decided that a gang gives way. ``uids`` has the UIDs of all gangs, since statuses
    name some preemptors by UID.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self.uids = GangUids()
        self.evicted = Preemptors(changed, evicted_for, self.uids)
        self.shrunk = Preemptors(changed, shrunk_for, self.uids)

    def read_status(self, gang: GangFact) -> None:
        """Read from a gang's status the gang to which it gives way, and record the gang's own UID."""
        self.uids.learn(gang)
        self.evicted.read_status(gang)
        self.shrunk.read_status(gang)

    def finalize(self, victim: GangKey) -> None:
        """Forget decisions about a gang that holds nothing any more: from now on only its status counts."""
        self.evicted.finalize(victim)
        self.shrunk.finalize(victim)

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self.uids.forget(gang)
        self.evicted.forget(gang)
        self.shrunk.forget(gang)
