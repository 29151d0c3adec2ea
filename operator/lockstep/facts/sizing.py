"""How the number of members is chosen."""

from enum import StrEnum


class Sizing(StrEnum):
    """What the number of members is chosen by. The order is by how much gangs take from others, the least first."""

    FEWEST = "Fewest"
    """The fewest members that can run."""
    BALANCED = "Balanced"
    """The gang's own finish, and what its members take from other gangs."""
    FASTEST = "Fastest"
    """The gang's own finish alone."""

    @property
    def greed(self) -> int:
        """The place in this order, from 0: gangs with a higher one take more from others."""
        return _GREED[self]


_GREED = {sizing: greed for greed, sizing in enumerate(Sizing)}
