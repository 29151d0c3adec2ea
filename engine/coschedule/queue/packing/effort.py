"""How much is looked through for one gang before what was found so far has to do."""

from dataclasses import dataclass

MOST_COMBINATIONS = 2 * 10**7
"""A fraction of a second. Gangs that need more are of many large roles, on nodes that are nearly full."""


@dataclass(slots=True, eq=False)
class Effort:
    """Counts the combinations of members and nodes that were looked at."""

    spent: int = 0

    @property
    def is_over(self) -> bool:
        """Whether no more may be looked at."""
        return self.spent >= MOST_COMBINATIONS
