"""What becomes of the bound pods of a Gang that can't go on where they are."""

from enum import StrEnum


class WayBack(StrEnum):
    """What became of the pods, as metrics name it."""

    SUSPENDED = "suspended"
    """Their owner was suspended until they were gone."""
    EVICTED = "evicted"
    KEPT = "kept"
