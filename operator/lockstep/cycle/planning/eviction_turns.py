"""Chooses which gangs may evict others in one plan. The search for victims takes long, so their number is bounded.

A quarter of the bound goes to the most urgent gangs in every plan. All other gangs take turns in the rest: the gang
whose last turn is longest ago comes first. So gangs that can never be placed do not use up the bound.
"""

from collections.abc import Collection, Sequence

from coschedule import GangKey

MOST_EVICTING = 256
"""The most gangs that may evict others in one plan. The search for victims is the slowest part of planning."""

_SHARE_OF_URGENT = 0.25


class EvictionTurns:
    """Chooses gangs that may evict others, at most ``most`` in one plan."""

    def __init__(self, most: int = MOST_EVICTING) -> None:
        self._most = most
        self._plans = 0
        self._changed_at = 0
        self._tried: dict[GangKey, int] = {}

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
        urgent = int(_SHARE_OF_URGENT * self._most)
        in_turn = sorted(gangs[urgent:], key=lambda key: (key not in always, self._last_tried(key)))
        chosen = frozenset([*gangs[:urgent], *in_turn[: self._most - urgent]])
        self._tried = {key: self._plans if key in chosen else self._last_tried(key) for key in gangs}
        return chosen

    def any_untried(self) -> bool:
        """Whether a gang has had no turn since facts last changed."""
        return any(plan < self._changed_at for plan in self._tried.values())

    def _last_tried(self, gang: GangKey) -> int:
        return self._tried.get(gang, 0)
