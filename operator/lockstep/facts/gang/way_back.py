"""What becomes of the bound pods of a Gang that can't go on where they are."""

from enum import StrEnum


class WayBack(StrEnum):
    """What became of the pods, as metrics name it."""

    SUSPENDED = "suspended"
    """Their owner was suspended until they were gone."""
    REQUEUED = "requeued"
    """Their quota was given back, so Kueue took them back and queued their Workload again."""
    EVICTED = "evicted"
    KEPT = "kept"
