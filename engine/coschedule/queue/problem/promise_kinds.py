"""The kinds of promises to waiting gangs."""

from enum import StrEnum


class Promises(StrEnum):
    """What waiting gangs are promised. With each kind, gangs of higher priority come before all others."""

    SLACK = "Slack"
    """A start plus a third of the run time. Within that slack, later plans may reorder the queue."""
    CONSERVATIVE = "Conservative"
    """The start of the first plan, or an earlier one: conservative backfilling."""
    EASY = "EASY"
    """Only the first waiting gang is never delayed: EASY backfilling."""
    NONE = "None"
    """Nothing: any gang that fits now starts."""
