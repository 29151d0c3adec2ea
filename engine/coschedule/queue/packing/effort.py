"""How much is looked through for one gang before what was found so far has to do."""

from dataclasses import dataclass

MOST_COMBINATIONS = 5 * 10**7
"""A fraction of a second. Gangs that need more are of many large roles, on nodes that are nearly full."""
MOST_IN_A_PLAN = 2 * 10**8
"""A few seconds for all gangs of a plan. Those behind have ``LEAST_COMBINATIONS`` each, so no queue takes for ever."""
LEAST_COMBINATIONS = 10**6
"""Ten times what a launcher with its workers needs on thousands of nodes."""


@dataclass(slots=True, eq=False)
class Effort:
    """Counts the combinations of members and nodes that were looked at."""

    most: int
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
    def total(self) -> int:
        """How many were looked at altogether."""
        return self.before + self.spent

    def once_more(self) -> None:
        """Look at as many again, for any way at all where the best was not found."""
        self.was_over, self.before, self.spent = self.was_ever_over, self.total, 0


def effort_after(combinations: int) -> Effort:
    """What is there for one gang after so many combinations were looked at for those in front of it."""
    left = MOST_IN_A_PLAN - combinations
    return Effort(most=min(MOST_COMBINATIONS, max(LEAST_COMBINATIONS, left)))
