"""Whose turn it is to evict others, where more gangs may than one plan has time to look for victims of.

A quarter of the bound goes to the most urgent in every plan; the rest to all others in turn, the longest untried first,
since gangs that can never be placed must not use up the bound.
"""

from collections.abc import Collection, Sequence

from coschedule import GangKey

MOST_EVICTING = 256
"""So many gangs may evict others in one plan at most: to look for victims of each takes the longest of all."""

_SHARE_OF_URGENT = 0.25


class EvictionTurns:
    """Chooses who may evict others. ``most``: how many gangs in one plan."""

    def __init__(self, most: int = MOST_EVICTING) -> None:
        self._most = most
        self._plans = 0
        self._changed_at = 0
        self._tried: dict[GangKey, int] = {}

    def choose(
        self, gangs: Sequence[GangKey], *, has_changed: bool, always: Collection[GangKey] = ()
    ) -> frozenset[GangKey]:
        """Choose among all gangs that may at all, in their order, for the next plan.

        ``has_changed``: facts are not those of the plan before. ``always``: gangs whose turn is not over yet.
        """
        self._plans += 1
        if has_changed:
            self._changed_at = self._plans
        urgent = int(_SHARE_OF_URGENT * self._most)
        in_turn = sorted(gangs[urgent:], key=lambda key: (key not in always, self._last_tried(key)))
        chosen = frozenset([*gangs[:urgent], *in_turn[: self._most - urgent]])
        self._tried = {key: self._plans if key in chosen else self._last_tried(key) for key in gangs}
        return chosen

    def are_left(self) -> bool:
        """Whether somebody has not had a turn since facts have changed."""
        return any(plan < self._changed_at for plan in self._tried.values())

    def _last_tried(self, gang: GangKey) -> int:
        return self._tried.get(gang, 0)
