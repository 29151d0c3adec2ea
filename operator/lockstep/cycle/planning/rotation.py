"""Chooses which gangs are planned exactly, if the queue is longer than one plan can be.

A bounded number of gangs in front is planned every time. A quarter of them are the most urgent gangs, even if they were
refused last time: no gang loses its place because it can't be placed yet. The others are the next gangs that were not
refused last time; if these are too few, also the next refused gangs. Gangs that would fit on no empty nodes come last.
So gangs that can never be placed do not use up the bound.

Gangs behind take turns in an additional quarter of the bound. The gang whose last plan is longest ago comes first. So
every gang is planned again and again, and a gang that can start now does start, wherever it is in the queue. Gangs in
front claim their nodes, so gangs behind do not delay them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from coschedule import Decision, GangKey, Placement, Unplaceable
from lockstep.facts.gang.gang import GangFact

MOST_IN_FRONT = 1000
"""The number of gangs in front. The first plan of so many gangs takes about a second on 5,000 nodes."""

_SHARE_OF_URGENT = 0.25
_SHARE_OF_TURNS = 0.25
"""The number of gangs behind that have their turn in one plan, as a share of the number in front."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The number of the plan in which a gang was planned last, and whether it was refused.

    ``fits_nowhere`` says that it would not fit on empty nodes either.
    """

    gang_uid: str
    generation: int
    plan: int
    is_refused: bool
    fits_nowhere: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The gangs to plan exactly.

    ``front`` has the gangs in front, which are not delayed by gangs behind. ``in_turn`` has the gangs behind that have
    their turn.
    """

    front: frozenset[GangKey]
    in_turn: frozenset[GangKey]

    def __contains__(self, gang: GangKey) -> bool:
        """Whether the gang is planned."""
        return gang in self.front or gang in self.in_turn


class Rotation:
    """Chooses the gangs to plan: ``most`` gangs in front, and a quarter as many gangs behind in turn."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._plans = 0
        self._changed_at = 0
        self._seen: dict[GangKey, _Seen] = {}

    def choose(self, gangs: Sequence[GangFact], *, always: Collection[GangKey], has_changed: bool) -> Chosen:
        """Choose for the next plan among all waiting ``gangs``, given in queue order.

        ``always`` has gangs that must be planned, such as gangs that hold nodes. ``has_changed`` says whether facts
        have changed since the last plan.
        """
        self._plans += 1
        if has_changed:
            self._changed_at = self._plans
        keys = [gang.key for gang in gangs]
        if len(keys) <= self._most:
            return Chosen(front=frozenset(keys), in_turn=frozenset())
        hopeful = (gang.key for gang in gangs if not self.was_refused(gang))
        possible = (gang.key for gang in gangs if not self.fits_nowhere(gang))
        by_claim = dict.fromkeys([*keys[: int(_SHARE_OF_URGENT * self._most)], *hopeful, *possible, *keys])
        front = {*always, *islice(by_claim, self._most)}
        waiting = sorted((gang for gang in gangs if gang.key not in front), key=self._last_planned)
        turns = max(1, int(_SHARE_OF_TURNS * self._most))
        return Chosen(front=frozenset(front), in_turn=frozenset(gang.key for gang in waiting[:turns]))

    def record(self, gang: GangFact, decision: Decision) -> None:
        """Record the plan's decision about a gang."""
        self._seen[gang.key] = _Seen(
            gang_uid=gang.uid,
            generation=gang.generation,
            plan=self._plans,
            is_refused=not isinstance(decision, Placement),
            fits_nowhere=isinstance(decision, Unplaceable) and decision.fits_empty is False,
        )

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        self._seen.pop(gang, None)

    def any_unplanned(self, gangs: Iterable[GangFact]) -> bool:
        """Whether any gang has not been planned since facts last changed."""
        return any(self._last_planned(gang) < self._changed_at for gang in gangs)

    def was_refused(self, gang: GangFact) -> bool:
        """Whether the gang was refused when it was last planned with its present spec."""
        seen = self._of(gang)
        return seen is not None and seen.is_refused

    def fits_nowhere(self, gang: GangFact) -> bool:
        """Whether the gang would not have fitted on empty nodes when it was last planned with its present spec."""
        seen = self._of(gang)
        return seen is not None and seen.fits_nowhere

    def _last_planned(self, gang: GangFact) -> int:
        seen = self._of(gang)
        return 0 if seen is None else seen.plan

    def _of(self, gang: GangFact) -> _Seen | None:
        seen = self._seen.get(gang.key)
        return None if seen is None or (seen.gang_uid, seen.generation) != (gang.uid, gang.generation) else seen
