"""The running gangs that may give way to gangs of one priority, in which ways, and how many of them together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import add
from typing import TYPE_CHECKING

from coschedule.queue.preemption.shrinking import shrinks_of
from coschedule.queue.preemption.worlds import left_of
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.shares.taking_back import ShareClaim, TakenBack

if TYPE_CHECKING:
    from coschedule.queue.problem.gangs import GangKey


@dataclass(frozen=True, slots=True, kw_only=True)
class TakingBounds:
    """Bounds on all victims together: ``budgets`` bounds their pods, ``claim`` bounds the resources of each group."""

    budgets: tuple[int, ...]
    claim: ShareClaim | None = None

    @property
    def limits(self) -> tuple[int, ...]:
        """The bounds before there are victims: the pods of each budget, then the amount of each group."""
        return self.budgets if self.claim is None else (*self.budgets, *self.claim.limits)

    def left(self, limits: Sequence[int], victims: Sequence[RunningGang]) -> tuple[int, ...]:
        """Return what is left of ``limits`` after these victims; a negative number means that they take too much."""
        left = list(left_of(limits, victims))
        if self.claim is not None:
            for victim in victims:
                for group, amount in self.claim.counted(taken_from(victim)):
                    left[len(self.budgets) + group] -= amount
        return tuple(left)

    def allow(self, victims: Sequence[RunningGang]) -> bool:
        """Return whether all of these victims may give way."""
        return min(self.left(self.limits, victims), default=0) >= 0


class MayGiveWay:
    """The running gangs that may give way to gangs of a ``priority`` or, with a ``claim``, to gangs of one group.

    A gang gives way by an eviction or by shrinking. Gangs of lower priority may give way in both ways. With a claim,
    gangs of the same priority may shrink too, if the claim covers their groups. They may be evicted if
    ``FairShares.reclaims`` is set. The claim limits all gangs of these groups together.
    """

    def __init__(self, snapshot: Snapshot, priority: int, claim: ShareClaim | None) -> None:
        self._snapshot = snapshot
        self._priority = priority
        self._claim = claim
        self.bounds = TakingBounds(budgets=snapshot.budgets, claim=claim)
        self._ways: dict[GangKey, Sequence[RunningGang]] = {}

    def widest_ways(self) -> Iterator[RunningGang]:
        """List, for each gang that may give way, the way in which it gives up most."""
        for gang in self._snapshot.running:
            if not self._may(gang):
                continue
            if self._may_be_evicted(gang) and self.bounds.allow([gang]):
                yield gang
            elif ways := self.ways_of(gang):
                yield max(ways, key=lambda way: way.going)

    def ways_of(self, gang: RunningGang) -> Sequence[RunningGang]:
        """Return the ways in which a gang may give way alone: an eviction, and smaller sizes, from the smallest on."""
        if gang.key not in self._ways:
            evicted = [gang] if self._may_be_evicted(gang) else []
            self._ways[gang.key] = [way for way in (*evicted, *shrinks_of(gang)) if self.bounds.allow([way])]
        return self._ways[gang.key]

    def _may(self, gang: RunningGang) -> bool:
        is_reclaimed = self._claim is not None and self._claim.is_on(gang.key)
        return gang.priority < self._priority or (gang.priority == self._priority and is_reclaimed)

    def _may_be_evicted(self, gang: RunningGang) -> bool:
        return gang.priority < self._priority or self._snapshot.shares.reclaims


def taken_from(victim: RunningGang) -> TakenBack:
    """Return the resources that a victim gives up, summed over all nodes."""
    amounts = (0,) * len(victim.holds[0].request) if victim.holds else ()
    for _, request in victim.holds:
        amounts = tuple(map(add, amounts, request))
    return TakenBack(victim.key, amounts)


def reclaimed(victims: Sequence[RunningGang], priority: int) -> tuple[TakenBack, ...]:
    """Return the resources that victims of this priority give up, sorted by the keys of the victims."""
    return tuple(sorted(taken_from(victim) for victim in victims if victim.priority == priority))
