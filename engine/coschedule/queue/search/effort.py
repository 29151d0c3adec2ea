"""The effort of a plan: how much each gang may search before it must take the best run found so far.

The work for a gang is counted in steps of about ten nanoseconds. Each gang has a limit of steps, and the whole plan has
another limit. The first steps of each choice are free, so that each gang gets some. Half of the plan's limit is
reserved in equal parts for the tenants, which are namespaces. So the gangs of one tenant always leave steps to the
others.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey

MOST_COMBINATIONS = 5 * 10**7
"""Steps for one gang, in all orders in which a plan tries its gangs: half a second."""
MOST_IN_A_PLAN = 10**8
"""Steps for all gangs of a plan together: a second. After that, each choice has ``LEAST_COMBINATIONS``."""
LEAST_COMBINATIONS = 2 * 10**5
"""Free steps of each choice: two milliseconds, which is enough for most gangs on thousands of nodes."""


class Limits(NamedTuple):
    """The most steps for one gang, the most for a whole plan, and the free steps of each choice."""

    for_one: int
    in_a_plan: int
    least: int


def _limits_of_choices() -> Limits:
    return Limits(for_one=MOST_COMBINATIONS, in_a_plan=MOST_IN_A_PLAN, least=LEAST_COMBINATIONS)


@dataclass(slots=True, eq=False)
class Account:
    """Counts the steps spent for the gangs of a plan, in all forks of its planner.

    ``spent`` counts all steps. ``beyond``, ``by_gang`` and ``by_tenant`` count only the steps that were not free.
    ``reserve`` is the number of steps reserved for each known tenant. ``unused_reserve`` is the number of all reserved
    steps that are not used yet.
    """

    limits: Limits = field(default_factory=_limits_of_choices)
    spent: int = 0
    beyond: int = 0
    by_gang: Counter[GangKey] = field(default_factory=Counter)
    by_tenant: Counter[str] = field(default_factory=Counter)
    reserve: float = 0.0
    unused_reserve: float = 0.0

    def welcome(self, gangs: Iterable[GangKey]) -> None:
        """Reserve steps for the tenants of these gangs too.

        This is called for one priority after the other, so less urgent gangs take nothing from more urgent ones.
        """
        self.by_tenant.update({gang.namespace: 0 for gang in gangs})
        self.reserve = self.limits.in_a_plan / 2 / max(1, len(self.by_tenant))
        self.unused_reserve = sum(self._unused_of(tenant) for tenant in self.by_tenant)

    def effort(self, gang: GangKey) -> "Effort":
        """Return the effort of a gang's next choice."""
        limits, unused_of_others = self.limits, self.unused_reserve - self._unused_of(gang.namespace)
        left = min(int(limits.in_a_plan - self.beyond - unused_of_others), limits.for_one - self.by_gang[gang])
        return Effort(most=min(limits.for_one, max(limits.least, left)), of=(gang, self))

    def spend(self, gang: GangKey, steps: int, beyond: int) -> None:
        """Count ``steps`` of a gang, of which ``beyond`` were not free."""
        self.spent += steps
        if beyond:
            unused = self._unused_of(gang.namespace)
            self.beyond += beyond
            self.by_gang[gang] += beyond
            self.by_tenant[gang.namespace] += beyond
            self.unused_reserve -= unused - self._unused_of(gang.namespace)

    def _unused_of(self, tenant: str) -> float:
        return max(0.0, self.reserve - self.by_tenant[tenant]) if tenant in self.by_tenant else 0.0


@dataclass(slots=True, eq=False)
class Effort:
    """Counts the steps of one choice of a gang; the account of the plan, if there is one, counts them too."""

    most: int
    of: tuple[GangKey, Account] | None = None
    spent: int = 0
    was_over: bool = False
    before: int = 0

    @property
    def is_over(self) -> bool:
        """Whether all steps are spent."""
        return self.spent >= self.most

    @property
    def was_ever_over(self) -> bool:
        """Whether all steps are spent, or were spent before ``once_more`` allowed more."""
        return self.was_over or self.is_over

    @property
    def is_exhausted(self) -> bool:
        """Whether twice ``most`` steps are spent, including steps before ``once_more``."""
        return self.spent >= 2 * self.most or (self.was_over and self.is_over)

    @property
    def total(self) -> int:
        """The number of steps spent altogether."""
        return self.before + self.spent

    def allows(self, steps: int) -> bool:
        """Whether ``steps`` more may be spent."""
        return self.spent + steps <= self.most

    def spend(self, steps: int) -> None:
        """Count ``steps`` more."""
        before = self.total
        self.spent += steps
        if self.of is not None:
            gang, account = self.of
            by_itself = max(0, account.limits.least - before)
            account.spend(gang, steps, max(0, steps - by_itself))

    def once_more(self) -> None:
        """Allow as many steps again, so that a search that has not found the best run can find any run."""
        self.was_over, self.before, self.spent = self.was_ever_over, self.total, 0


def effort_for_one() -> Effort:
    """Return the effort for a gang outside of a plan."""
    return Effort(most=MOST_COMBINATIONS)
