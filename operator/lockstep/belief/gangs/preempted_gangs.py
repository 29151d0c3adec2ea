"""Which gangs are evicted for which: as statuses say, and as decided but not written yet."""

from collections.abc import Callable

from coschedule import GangKey
from lockstep.api.preemption import named_preemptor
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition


class PreemptedGangs:
    """The preemptor of each evicted gang, until the gang is placed again."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._decided: dict[GangKey, GangKey] = {}
        self._reported: dict[GangKey, GangKey] = {}
        self._victims: dict[GangKey, set[GangKey]] = {}

    def decide(self, victim: GangKey, preemptor: GangKey) -> None:
        """The victim will be evicted for that gang; its status does not say so yet."""
        self._decided[victim] = preemptor
        self._victims.setdefault(preemptor, set()).add(victim)
        self._changed()

    def is_decided(self, gang: GangKey) -> bool:
        """Whether it is decided that the gang is evicted, and not done yet."""
        return gang in self._decided

    def read_status(self, gang: GangFact) -> None:
        """Read the preemptor from the gang's status."""
        reported = _preemptor_of(gang)
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
        """The gang for which this one was or will be evicted; None if there is none, or if it is placed again."""
        return self._decided.get(victim) or self._reported.get(victim)

    def victims_of(self, gang: GangKey) -> tuple[GangKey, ...]:
        """The gangs that will be or were evicted for this one and are not placed again, by key."""
        return tuple(sorted(self._victims.get(gang, ())))

    def _leave(self, preemptors: dict[GangKey, GangKey], victim: GangKey) -> None:
        preemptor = preemptors.pop(victim, None)
        if preemptor is None or preemptor in (self._decided.get(victim), self._reported.get(victim)):
            return
        victims = self._victims[preemptor]
        victims.discard(victim)
        if not victims:
            del self._victims[preemptor]


def _preemptor_of(gang: GangFact) -> GangKey | None:
    condition = gang.status.condition(Condition.PREEMPTED)
    return named_preemptor(condition.message) if condition is not None and condition.status == "True" else None
