"""What decides on the number of members."""

from enum import StrEnum


class Sizing(StrEnum):
    """What decides on the number of members; whoever comes first here takes the least from others."""

    FEWEST = "Fewest"
    """The fewest members that can run."""
    BALANCED = "Balanced"
    """The gang's own finish, and what its members take from other gangs."""
    FASTEST = "Fastest"
    """The gang's own finish alone."""

    @property
    def greed(self) -> int:
        """How much gangs take from others so, beside other ways."""
        return _GREED[self]


_GREED = {sizing: greed for greed, sizing in enumerate(Sizing)}
