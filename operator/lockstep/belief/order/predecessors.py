"""Which gangs wait for which predecessors, and how these predecessors ended.

The successors of a predecessor are reconciled when it first exists, has started or ended, or is gone. So even thousands
of successors are reconciled only a few times in its life, not at each change of its status.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import assert_never

from coschedule import GangKey
from lockstep.belief.order.rings import PlaceInRing, Rings, finding_rings
from lockstep.belief.podgangs.pod_gangs import PodGangs
from lockstep.belief.sweeps.sweeps import Sweeps
from lockstep.facts.gang.after import Predecessor, PredecessorOutcome, Recorded, SeenPredecessor, recorded
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.pod_gang import PodGangSpec
from lockstep.facts.reasons import Condition
from lockstep.facts.runs.sweep_keys import is_sweep
from lockstep.facts.sweeps.sweep import SweepCondition


class Predecessors:
    """The gangs and sweeps that gangs wait for. If one has changed, ``reconcile`` is called with its successors."""

    def __init__(self, gangs: Mapping[GangKey, GangFact], pod_gangs: PodGangs, reconcile: Callable[..., None]) -> None:
        self._gangs = gangs
        self._pod_gangs = pod_gangs
        self.sweeps = Sweeps(self._changed)
        self._reconcile = reconcile
        self._awaited_by: dict[GangKey, tuple[GangKey, ...]] = {}
        self._successors: defaultdict[GangKey, dict[GangKey, None]] = defaultdict(dict)
        # By predecessor: the successors that have not recorded the predecessor's end.
        self._unaware: defaultdict[GangKey, set[GangKey]] = defaultdict(set)
        self._seen: dict[GangKey, SeenPredecessor | None] = {}
        self._rings: Rings = {}
        self.may_have_rings = False
        """Whether a ring may have been closed or opened since the last search."""

    def enter(self, gang: GangFact) -> None:
        """Add or update a gang."""
        is_waiting = gang.status.end is None and gang.status.reserved_at is None
        awaited = tuple(key_of(gang, one) for one in gang.unmet) if is_waiting else ()
        if awaited != self._awaited_by.get(gang.key, ()):
            self._forget_awaited(gang.key)
            self._await(gang.key, awaited)
        self._record_unaware(gang, awaited)
        # A predecessor that has ended may wait until this gang has recorded its end.
        self._reconcile(*(key for key in awaited if _has_ended(self._gangs.get(key))))
        self._changed(gang.key)

    def leave(self, gang: GangKey) -> None:
        """Remove a gang that is gone."""
        self._forget_awaited(gang)
        self._changed(gang)

    def pods_changed(self, gang: GangKey) -> None:
        """Note that pods of a Gang may have changed. The Gang itself may be as before."""
        self._changed(gang)

    def successors(self, gang: GangKey) -> tuple[GangKey, ...]:
        """The gangs that wait for that gang, whether or not it exists."""
        return tuple(self._successors.get(gang, ()))

    def is_end_known(self, gang: GangKey) -> bool:
        """Whether all successors of that gang have recorded its end. Then the gang may be deleted.

        The gang is reconciled when the last successor has recorded the end.
        """
        return gang not in self._unaware

    def recorded(self, gang: GangFact) -> tuple[Recorded, ...]:
        """The facts about the gang's predecessors that its status has to record now."""
        found = (recorded(one, gang.status.recorded(one), self._see(key_of(gang, one))) for one in gang.policies.after)
        return tuple(one for one in found if one is not None)

    def ring_of(self, gang: GangKey) -> PlaceInRing | None:
        """The ring in which the gang waits for itself; None if the last search found none."""
        return self._rings.get(gang)

    def finding_rings(self) -> Generator[None, None, int]:
        """Search for rings, in steps. Gangs that enter or leave a ring are reconciled.

        Returns the number of gangs that wait for predecessors.
        """
        self.may_have_rings = False
        awaited = dict(self._awaited_by)
        before, self._rings = self._rings, (yield from finding_rings(awaited))
        left = before.keys() - self._rings.keys()
        entered = (key for key, place in self._rings.items() if not place.says_the_same_as(before.get(key)))
        self._reconcile(*left, *entered)
        return len(awaited)

    def _await(self, gang: GangKey, awaited: tuple[GangKey, ...]) -> None:
        if awaited:
            self._awaited_by[gang] = awaited
        # A gang without successors closes no ring. So a long chain costs no search if predecessors are created first.
        self.may_have_rings |= bool(awaited) and (gang in self._successors or gang in awaited)
        for key in awaited:
            self._successors[key][gang] = None

    def _record_unaware(self, gang: GangFact, awaited: Iterable[GangKey]) -> None:
        """Record the ``awaited`` predecessors whose end the gang does not know."""
        recorded = ((one, gang.status.recorded(one)) for one in gang.unmet)
        unknown = {key_of(gang, one) for one, found in recorded if found is None or found.outcome is None}
        for key in awaited:
            if key in unknown:
                self._unaware[key].add(gang.key)
            else:
                self._drop_unaware(key, gang.key)

    def _drop_unaware(self, predecessor: GangKey, gang: GangKey) -> None:
        if predecessor in self._unaware:
            self._unaware[predecessor].discard(gang)
            if not self._unaware[predecessor]:
                del self._unaware[predecessor]

    def _forget_awaited(self, gang: GangKey) -> None:
        self.may_have_rings |= gang in self._rings
        for key in self._awaited_by.pop(gang, ()):
            self._drop_unaware(key, gang)
            self._successors[key].pop(gang, None)
            if not self._successors[key]:
                del self._successors[key]
                self._seen.pop(key, None)
                if _has_ended(self._gangs.get(key)):
                    self._reconcile(key)

    def _changed(self, gang: GangKey) -> None:
        """Reconcile the successors of a gang if the facts that they see about the gang have changed."""
        if gang not in self._successors:
            return
        seen = self._see(gang)
        if gang not in self._seen or seen != self._seen[gang]:
            self._seen[gang] = seen
            self._reconcile(*self._successors[gang])

    def _see(self, key: GangKey) -> SeenPredecessor | None:
        if is_sweep(key):
            return self._see_sweep(key)
        gang = self._gangs.get(key)
        if gang is None:
            return None
        if is_pod_gang(key):
            return self._see_pod_gang(gang)
        end, status = gang.status.end, gang.status
        if end is None:
            return SeenPredecessor(gang.uid, status.started_at, None, None)
        outcome = PredecessorOutcome.SUCCEEDED if end.type == Condition.COMPLETE else PredecessorOutcome.FAILED
        return SeenPredecessor(gang.uid, status.started_at, outcome, status.finished_at)

    def _see_sweep(self, key: GangKey) -> SeenPredecessor | None:
        sweep = self.sweeps.objects.get(key)
        if sweep is None:
            return None
        status = sweep.status
        outcome = None if status.end is None else _outcome(status.end.condition)
        return SeenPredecessor(sweep.uid, status.started_at, outcome, status.finished_at if outcome else None)

    def _see_pod_gang(self, gang: GangFact) -> SeenPredecessor:
        """The facts about a Gang that its successors see.

        A Gang has succeeded when all of its pods have ended, and the needed number of them has succeeded. The number is
        checked, because an owner may make its pods one after the other. Then there may be moments at which all existing
        pods have ended, but the owner still makes others.
        """
        known, started = self._pod_gangs.objects.get(gang.key), gang.status.started_at
        if known is None or not isinstance(known.asks, PodGangSpec):
            return SeenPredecessor(gang.uid, started, None, None)
        pods = self._pod_gangs.group(gang.key).own(known.made_for, 0)
        least = known.asks.minimum + sum(one.pods for one in known.asks.later)
        if pods.open or pods.succeeded < max(least, known.in_all):
            return SeenPredecessor(gang.uid, started, None, None)
        return SeenPredecessor(gang.uid, started, PredecessorOutcome.SUCCEEDED, None)


def _has_ended(gang: GangFact | None) -> bool:
    return gang is not None and gang.status.end is not None


def _outcome(condition: SweepCondition) -> PredecessorOutcome | None:
    """The outcome of a sweep for which that condition is true; None if the sweep goes on."""
    match condition:
        case SweepCondition.COMPLETE:
            return PredecessorOutcome.SUCCEEDED
        case SweepCondition.FAILED:
            return PredecessorOutcome.FAILED
        case SweepCondition.ACCEPTED:
            return None
        case _:
            assert_never(condition)


def key_of(gang: GangFact, asked: Predecessor) -> GangKey:
    """The key of a predecessor of the gang."""
    return asked.kind.key(gang.key.namespace, asked.name)
