"""Chooses which gangs may evict others in one plan. The search for victims takes long, so their number is bounded.

A quarter of the bound goes to the most urgent gangs in every plan. All other gangs take turns in the rest: the gang
whose last turn is longest ago comes first. So gangs that can never be placed do not use up the bound.

The search may also end before all chosen gangs are tried, since gangs were tried in vain. Then these gangs rest for one
plan, and next time for twice as many. While facts do not change, they rest in any case. No rest takes longer than a few
minutes. So these gangs do not use up the search in every plan.
"""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from coschedule import GangKey

MOST_EVICTING = 256
"""The most gangs that may evict others in one plan. The search for victims is the slowest part of planning."""

_SHARE_OF_URGENT = 0.25
_LONGEST_REST = 256
"""The most plans for which a gang rests. With four tries in vain in each plan, a thousand gangs can rest."""

_LONGEST_REST_SECONDS = 300.0
"""In a cluster in which little happens, plans are rare. There, a gang rests for this time at most."""


class _EvictionRest(NamedTuple):
    """A gang does not evict others for ``plans`` plans, up to the plan with the number ``last``.

    The rest ends at the monotonic time ``until`` at the latest.
    """

    plans: int
    last: int
    until: float


class EvictionTurns:
    """Chooses gangs that may evict others, at most ``most`` in one plan."""

    def __init__(self, monotonic: Callable[[], float], most: int = MOST_EVICTING) -> None:
        self._monotonic = monotonic
        self._most = most
        self._plans = 0
        self._changed_at = 0
        self._tried: dict[GangKey, int] = {}
        self._chosen: frozenset[GangKey] = frozenset()
        self._rests: dict[GangKey, _EvictionRest] = {}
        self._in_vain = set[GangKey]()
        self._is_cut_short = False

    def choose(
        self, gangs: Sequence[GangKey], *, has_changed: bool, always: Collection[GangKey] = ()
    ) -> frozenset[GangKey]:
        """Choose for the next plan among all ``gangs`` that are allowed to evict, given in queue order.

        ``has_changed`` says whether facts have changed since the last plan. ``always`` has the gangs whose turn is not
        over.
        """
        self._plans += 1
        if has_changed:
            self._changed_at = self._plans
            self._in_vain.clear()
        self._rests = {key: self._rests[key] for key in gangs if key in self._rests}
        able = [key for key in gangs if not self._is_resting(key)]
        self._chosen = self._first_of(able, always)
        # Gangs that are left out would be tried in vain, so no plan is due for them.
        waiting = set(able) - self._chosen
        self._tried = {key: self._last_tried(key) if key in waiting else self._plans for key in gangs}
        return self._chosen

    def record_in_vain(self, gangs: Collection[GangKey]) -> None:
        """Record that the search ended early after it had tried these ``gangs`` in vain; none if it tried all."""
        self._is_cut_short = bool(gangs)
        self._in_vain.update(gangs)
        if not gangs:
            self._rests = {key: rest for key, rest in self._rests.items() if key not in self._chosen}
        for key in gangs:
            plans = min(2 * self._rests[key].plans, _LONGEST_REST) if key in self._rests else 1
            self._rests[key] = _EvictionRest(plans, self._plans + plans, self._monotonic() + _LONGEST_REST_SECONDS)

    def any_untried(self) -> bool:
        """Whether a gang was not tried since facts last changed. Gangs that rest do not count."""
        is_any_left = self._is_cut_short and not self._chosen <= self._in_vain
        return is_any_left or any(plan < self._changed_at for plan in self._tried.values())

    def _first_of(self, gangs: Sequence[GangKey], always: Collection[GangKey]) -> frozenset[GangKey]:
        urgent = int(_SHARE_OF_URGENT * self._most)
        in_turn = sorted(gangs[urgent:], key=lambda key: (key not in always, self._last_tried(key)))
        return frozenset([*gangs[:urgent], *in_turn[: self._most - urgent]])

    def _is_resting(self, gang: GangKey) -> bool:
        rest = self._rests.get(gang)
        if rest is None or self._monotonic() >= rest.until:
            return False
        return gang in self._in_vain or self._plans <= rest.last

    def _last_tried(self, gang: GangKey) -> int:
        return self._tried.get(gang, 0)
