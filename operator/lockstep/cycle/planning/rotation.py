"""Whose turn it is to be planned exactly, where the queue is longer than one plan can be.

The first of the queue are planned every time, as many as the bound says. A quarter of them are the most urgent gangs,
whatever became of them the last time: none that can't be placed yet loses its place. The others are the next that were
not refused the last time, since gangs that can never be placed must not use up the bound; what these leave goes to the
next of all. A quarter of the bound is added for those behind, in turn, the longest unseen first. So every gang is
planned again and again, and one that can start now does, wherever it is in the queue; and who is in front claims the
nodes, so that nobody behind delays it.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from coschedule import Decision, GangKey, Placement
from lockstep.facts.gang.gang import GangFact

MOST_IN_FRONT = 1000
"""So many gangs in front are planned in every plan: as many as take about a second on 5,000 nodes from nothing."""

_SHARE_OF_URGENT = 0.25
_SHARE_OF_TURNS = 0.25
"""So many gangs behind have their turn in one plan, as a part of those in front."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """When a gang was planned last, counted in plans, and whether it was refused."""

    gang_uid: str
    generation: int
    plan: int
    is_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Who is planned exactly: ``front``, whose places nobody behind takes, and ``in_turn``."""

    front: frozenset[GangKey]
    in_turn: frozenset[GangKey]

    def __contains__(self, gang: GangKey) -> bool:
        """Whether the gang is planned."""
        return gang in self.front or gang in self.in_turn


class Rotation:
    """Chooses who is planned. ``most``: how many gangs are in front; a quarter as many more have their turn."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._plans = 0
        self._changed_at = 0
        self._seen: dict[GangKey, _Seen] = {}

    def choose(self, gangs: Sequence[GangFact], *, always: Collection[GangKey], has_changed: bool) -> Chosen:
        """Choose among all gangs that wait, in their order, for the next plan.

        ``always``: gangs that must be planned, such as those that hold nodes. ``has_changed``: facts are not those of
        the plan before.
        """
        self._plans += 1
        if has_changed:
            self._changed_at = self._plans
        keys = [gang.key for gang in gangs]
        if len(keys) <= self._most:
            return Chosen(front=frozenset(keys), in_turn=frozenset())
        hopeful = (gang.key for gang in gangs if not self.was_refused(gang))
        by_claim = dict.fromkeys([*keys[: int(_SHARE_OF_URGENT * self._most)], *hopeful, *keys])
        front = {*always, *islice(by_claim, self._most)}
        waiting = sorted((gang for gang in gangs if gang.key not in front), key=self._last_planned)
        turns = max(1, int(_SHARE_OF_TURNS * self._most))
        return Chosen(front=frozenset(front), in_turn=frozenset(gang.key for gang in waiting[:turns]))

    def note(self, gang: GangFact, decision: Decision) -> None:
        """Remember what the plan has decided of a gang."""
        self._seen[gang.key] = _Seen(
            gang_uid=gang.uid,
            generation=gang.generation,
            plan=self._plans,
            is_refused=not isinstance(decision, Placement),
        )

    def forget(self, gang: GangKey) -> None:
        """The gang is gone."""
        self._seen.pop(gang, None)

    def are_left(self, gangs: Iterable[GangFact]) -> bool:
        """Whether somebody has not been planned since facts have changed."""
        return any(self._last_planned(gang) < self._changed_at for gang in gangs)

    def was_refused(self, gang: GangFact) -> bool:
        """Whether the gang was refused when it was planned last."""
        seen = self._of(gang)
        return seen is not None and seen.is_refused

    def _last_planned(self, gang: GangFact) -> int:
        seen = self._of(gang)
        return 0 if seen is None else seen.plan

    def _of(self, gang: GangFact) -> _Seen | None:
        seen = self._seen.get(gang.key)
        return None if seen is None or (seen.gang_uid, seen.generation) != (gang.uid, gang.generation) else seen
