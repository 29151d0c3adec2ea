"""How much is looked through for one gang before what was found so far has to do."""

from dataclasses import dataclass, field

MOST_COMBINATIONS = 5 * 10**7
"""A fraction of a second. Gangs that need more are of many large roles, on nodes that are nearly full."""
MOST_IN_A_PLAN = 10**8
"""A second or two for all gangs of a plan. Those behind have ``LEAST_COMBINATIONS`` each: no queue takes for ever."""
LEAST_COMBINATIONS = 2 * 10**5
"""Twice what a launcher with its workers needs on thousands of nodes: a few milliseconds."""


@dataclass(slots=True, eq=False)
class Account:
    """Counts the combinations of members and nodes that were looked at for all gangs of a plan, in all its forks."""

    spent: int = 0

    def effort(self) -> "Effort":
        """What is there for the next gang."""
        left = MOST_IN_A_PLAN - self.spent
        return Effort(most=min(MOST_COMBINATIONS, max(LEAST_COMBINATIONS, left)), account=self)


@dataclass(slots=True, eq=False)
class Effort:
    """Counts the combinations of members and nodes that were looked at for one gang."""

    most: int
    account: Account = field(default_factory=Account)
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
        """How many were looked at altogether."""
        return self.before + self.spent

    def spend(self, combinations: int) -> None:
        """So many more were looked at, or what takes as long."""
        self.spent += combinations
        self.account.spent += combinations

    def once_more(self) -> None:
        """Look at as many again, for any way at all where the best was not found."""
        self.was_over, self.before, self.spent = self.was_ever_over, self.total, 0


def effort_for_one() -> Effort:
    """What is there for a gang that is looked at by itself."""
    return Account().effort()
