"""How much is looked through for one gang before what was found so far has to do."""

from dataclasses import dataclass

MOST_COMBINATIONS = 5 * 10**7
"""A fraction of a second. Gangs that need more are of many large roles, on nodes that are nearly full."""


@dataclass(slots=True, eq=False)
class Effort:
    """Counts the combinations of members and nodes that were looked at."""

    spent: int = 0
    was_over: bool = False
    before: int = 0

    @property
    def is_over(self) -> bool:
        """Whether no more may be looked at."""
        return self.spent >= MOST_COMBINATIONS

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
