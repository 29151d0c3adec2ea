"""How the number of members is chosen."""

from enum import StrEnum


class Sizing(StrEnum):
    """What decides the number of members; ordered by how much a gang takes from others, the least first."""

    FEWEST = "Fewest"
    """The fewest members that can run."""
    BALANCED = "Balanced"
    """The gang's own finish, and what its members take from other gangs."""
    FASTEST = "Fastest"
    """The gang's own finish alone."""

    @property
    def greed(self) -> int:
        """The position in this order, from 0: a gang with a higher value takes more from others."""
        return _GREED[self]


_GREED = {sizing: greed for greed, sizing in enumerate(Sizing)}
