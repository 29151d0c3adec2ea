"""Lets gangs take turns if together they need more of a limited amount, such as columns, than one plan has.

In every plan, a quarter of the amount goes to the most urgent gangs. The rest goes to the other gangs, beginning with
the gangs whose last turn was longest ago.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from coschedule import GangKey

_SHARE_OF_URGENT = 0.25

Account = Callable[[GangKey], int]
"""A function that adds the need of one gang and returns the total so far."""


class PlanShares:
    """Chooses the gangs of a plan. ``most`` is the limit of one plan.

    Each plan has at least the most urgent gang and the gang whose turn is next. These two may exceed the limit.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._plans = 0
        self._served: dict[GangKey, int] = {}

    def left_out(self, asking: Sequence[GangKey], opened: Callable[[], Account]) -> Collection[GangKey]:
        """The gangs that wait for a later plan.

        ``asking`` is in order of urgency. ``opened`` returns a new account, which has counted no gang yet.
        """
        self._plans += 1
        account = opened()
        if not asking or max(map(account, asking)) <= self.most:
            self._served.clear()
            return ()
        urgent = _fitting(asking, opened(), int(_SHARE_OF_URGENT * self.most))
        in_turn = sorted(asking[len(urgent) :], key=self._last_served)
        account = opened()
        for gang in urgent:
            account(gang)
        served = {*urgent, *_fitting(in_turn, account, self.most)}
        self._served = {gang: self._plans if gang in served else self._last_served(gang) for gang in asking}
        return self._served.keys() - served

    def _last_served(self, gang: GangKey) -> int:
        return self._served.get(gang, 0)


def of_sets(needed: Mapping[GangKey, AbstractSet[str]]) -> Account:
    """An account of names that gangs may share; each name counts once."""
    taken: set[str] = set()

    def add(gang: GangKey) -> int:
        taken.update(needed[gang])
        return len(taken)

    return add


def of_numbers(needed: Mapping[GangKey, int]) -> Account:
    """An account of amounts that each gang needs for itself."""
    total = 0

    def add(gang: GangKey) -> int:
        nonlocal total
        total += needed[gang]
        return total

    return add


def _fitting(gangs: Iterable[GangKey], account: Account, most: int) -> list[GangKey]:
    """The first gangs that stay within ``most`` together. The first gang is always one of them."""
    fitting: list[GangKey] = []
    for gang in gangs:
        if account(gang) > most and fitting:
            break
        fitting.append(gang)
    return fitting
