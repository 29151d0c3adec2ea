"""Whose turn it is, where gangs ask for more than one plan has room for.

A quarter of the room goes to the most urgent in every plan, the rest to all others in turn, the longest unserved first.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from coschedule import GangKey

_SHARE_OF_URGENT = 0.25

Account = Callable[[GangKey], int]
"""Adds what one gang asks for, and says how much that makes with all before."""


class PlanShares:
    """Chooses who is served. ``most``: how much in one plan, but for one gang that asks for more by itself."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._plans = 0
        self._served: dict[GangKey, int] = {}

    def left_out(self, asking: Sequence[GangKey], opened: Callable[[], Account]) -> Collection[GangKey]:
        """Who of these, in their order, has to wait for another plan; ``opened`` is an account without anything."""
        self._plans += 1
        account = opened()
        if not asking or max(map(account, asking)) <= self._most:
            self._served.clear()
            return ()
        urgent = _fitting(asking, opened(), int(_SHARE_OF_URGENT * self._most))
        in_turn = sorted(asking[len(urgent) :], key=self._last_served)
        account = opened()
        for gang in urgent:
            account(gang)
        served = {*urgent, *_fitting(in_turn, account, self._most)}
        self._served = {gang: self._plans if gang in served else self._last_served(gang) for gang in asking}
        return self._served.keys() - served

    def _last_served(self, gang: GangKey) -> int:
        return self._served.get(gang, 0)


def of_sets(needed: Mapping[GangKey, AbstractSet[str]]) -> Account:
    """An account of things that several gangs may ask for, each of which counts once."""
    taken: set[str] = set()

    def add(gang: GangKey) -> int:
        taken.update(needed[gang])
        return len(taken)

    return add


def of_numbers(needed: Mapping[GangKey, int]) -> Account:
    """An account of what each gang asks for of its own."""
    total = 0

    def add(gang: GangKey) -> int:
        nonlocal total
        total += needed[gang]
        return total

    return add


def _fitting(gangs: Iterable[GangKey], account: Account, most: int) -> list[GangKey]:
    """Those that fit beside each other, up to the first that does not; one always does."""
    fitting: list[GangKey] = []
    for gang in gangs:
        if account(gang) > most and fitting:
            break
        fitting.append(gang)
    return fitting
