"""Which gangs give way to which: as statuses say, and as it was decided and is not written yet."""

from collections.abc import Callable

from coschedule import GangKey
from lockstep.api.preemption import named_preemptor
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition


class GivingWay:
    """For whom each gang was evicted, until it is placed again."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._decided: dict[GangKey, GangKey] = {}
        self._told: dict[GangKey, GangKey] = {}
        self._victims: dict[GangKey, set[GangKey]] = {}

    def decide(self, victim: GangKey, preemptor: GangKey) -> None:
        """The victim is about to be evicted for that gang, which its status is to say: its members are to end."""
        self._decided[victim] = preemptor
        self._victims.setdefault(preemptor, set()).add(victim)
        self._changed()

    def is_decided(self, gang: GangKey) -> bool:
        """Whether the gang is about to be evicted."""
        return gang in self._decided

    def note(self, gang: GangFact) -> None:
        """Believe what the gang's status says."""
        told = _preemptor_of(gang)
        if told != self._told.get(gang.key):
            self._leave(self._told, gang.key)
            if told is not None:
                self._told[gang.key] = told
                self._victims.setdefault(told, set()).add(gang.key)

    def settle(self, victim: GangKey) -> None:
        """The gang holds nothing any more: from here on its status says all there is."""
        self._leave(self._decided, victim)

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._leave(self._decided, gang)
        self._leave(self._told, gang)

    def preemptor_of(self, victim: GangKey) -> GangKey | None:
        """The gang for which that one was evicted, or is about to be; None where it stands or is placed again."""
        return self._decided.get(victim) or self._told.get(victim)

    def victims_of(self, gang: GangKey) -> tuple[GangKey, ...]:
        """The gangs that were evicted for that one and are not placed again yet, or are about to be; by key."""
        return tuple(sorted(self._victims.get(gang, ())))

    def _leave(self, preemptors: dict[GangKey, GangKey], victim: GangKey) -> None:
        preemptor = preemptors.pop(victim, None)
        if preemptor is None or preemptor in (self._decided.get(victim), self._told.get(victim)):
            return
        victims = self._victims[preemptor]
        victims.discard(victim)
        if not victims:
            del self._victims[preemptor]


def _preemptor_of(gang: GangFact) -> GangKey | None:
    condition = gang.status.condition(Condition.PREEMPTED)
    return named_preemptor(condition.message) if condition is not None and condition.status == "True" else None
