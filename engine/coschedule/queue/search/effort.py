"""How much is looked through for the gangs of a plan before what was found so far has to do.

All that is done for a gang is counted in steps of about ten nanoseconds, and spent from its account and from the
plan's. The first steps of each choice come from neither, so that no gang is left without any. Half of the plan's
account is kept in equal parts for the tenants, which are namespaces. So the gangs of one tenant always leave something
to the gangs of the others.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey

MOST_COMBINATIONS = 5 * 10**7
"""For one gang, in all orders of a plan: half a second."""
MOST_IN_A_PLAN = 10**8
"""For all gangs of a plan together: a second. Those behind have ``LEAST_COMBINATIONS`` for each choice."""
LEAST_COMBINATIONS = 2 * 10**5
"""For each choice: two milliseconds, in which most gangs are planned on thousands of nodes."""


class Limits(NamedTuple):
    """The most steps for one gang, and for all of a plan together, and the fewest that there are for each choice."""

    for_one: int
    in_a_plan: int
    least: int


def _limits_of_choices() -> Limits:
    return Limits(for_one=MOST_COMBINATIONS, in_a_plan=MOST_IN_A_PLAN, least=LEAST_COMBINATIONS)


@dataclass(slots=True, eq=False)
class Account:
    """Counts what is spent for the gangs of a plan, in all its forks.

    ``spent`` is all of it, ``beyond`` what is more than each choice has by itself. ``reserve`` is kept for each tenant
    that is known, of which ``kept`` is left together.
    """

    limits: Limits = field(default_factory=_limits_of_choices)
    spent: int = 0
    beyond: int = 0
    by_gang: Counter[GangKey] = field(default_factory=Counter)
    by_tenant: Counter[str] = field(default_factory=Counter)
    reserve: float = 0.0
    kept: float = 0.0

    def welcome(self, gangs: Iterable[GangKey]) -> None:
        """Keep something for the tenants of these gangs too; who is less urgent comes later, and changes nothing."""
        self.by_tenant.update({gang.namespace: 0 for gang in gangs})
        self.reserve = self.limits.in_a_plan / 2 / max(1, len(self.by_tenant))
        self.kept = sum(self._kept_for(tenant) for tenant in self.by_tenant)

    def effort(self, gang: GangKey) -> "Effort":
        """What is there for a gang's next choice."""
        limits, kept_for_others = self.limits, self.kept - self._kept_for(gang.namespace)
        left = min(int(limits.in_a_plan - self.beyond - kept_for_others), limits.for_one - self.by_gang[gang])
        return Effort(most=min(limits.for_one, max(limits.least, left)), of=(gang, self))

    def spend(self, gang: GangKey, steps: int, beyond: int) -> None:
        """Count what was spent for a gang, so much of it beyond what each choice has by itself."""
        self.spent += steps
        if beyond:
            kept = self._kept_for(gang.namespace)
            self.beyond += beyond
            self.by_gang[gang] += beyond
            self.by_tenant[gang.namespace] += beyond
            self.kept -= kept - self._kept_for(gang.namespace)

    def _kept_for(self, tenant: str) -> float:
        return max(0.0, self.reserve - self.by_tenant[tenant]) if tenant in self.by_tenant else 0.0


@dataclass(slots=True, eq=False)
class Effort:
    """Counts what is spent for one choice of a gang, and on whose account."""

    most: int
    of: tuple[GangKey, Account] | None = None
    spent: int = 0
    was_over: bool = False
    before: int = 0

    @property
    def is_over(self) -> bool:
        """Whether no more may be looked at."""
        return self.spent >= self.most

    @property
    def was_ever_over(self) -> bool:
        """Whether something was not looked at."""
        return self.was_over or self.is_over

    @property
    def is_exhausted(self) -> bool:
        """Whether as much again was looked at when no more was to be."""
        return self.spent >= 2 * self.most or (self.was_over and self.is_over)

    @property
    def total(self) -> int:
        """How many steps were spent altogether."""
        return self.before + self.spent

    def allows(self, steps: int) -> bool:
        """Whether so many more may be spent."""
        return self.spent + steps <= self.most

    def spend(self, steps: int) -> None:
        """So many more were spent."""
        before = self.total
        self.spent += steps
        if self.of is not None:
            gang, account = self.of
            by_itself = max(0, account.limits.least - before)
            account.spend(gang, steps, max(0, steps - by_itself))

    def once_more(self) -> None:
        """Look at as many again, for any way at all where the best was not found."""
        self.was_over, self.before, self.spent = self.was_ever_over, self.total, 0


def effort_for_one() -> Effort:
    """What is there for a gang that is looked at by itself."""
    return Effort(most=MOST_COMBINATIONS)
