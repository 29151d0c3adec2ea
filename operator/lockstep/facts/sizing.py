"""The ways to choose the number of members."""

from enum import StrEnum


class Sizing(StrEnum):
    """The goal in the choice of the number of members.

    The order is by what a gang takes from others, the least first.
    """

    FEWEST = "Fewest"
    """The fewest members that can run."""
    BALANCED = "Balanced"
    """The gang's own finish, and what its members take from other gangs."""
    FASTEST = "Fastest"
    """Only the gang's own finish."""

    @property
    def greed(self) -> int:
        """The position in this order, from 0: a gang with a higher value takes more from others."""
        return _GREED[self]


_GREED = {sizing: greed for greed, sizing in enumerate(Sizing)}
