"""What happens to bound pods of a Gang that can't stay on their nodes."""

from enum import StrEnum


class WayBack(StrEnum):
    """What happened to the pods, with the names that metrics use."""

    SUSPENDED = "suspended"
    """Their owner was suspended until they were gone."""
    REQUEUED = "requeued"
    """Lockstep gave their quota back, so Kueue ended them and queued their Workload again."""
    EVICTED = "evicted"
    KEPT = "kept"
