"""The kinds of promises to waiting gangs."""

from enum import StrEnum


class Promises(StrEnum):
    """The promises to waiting gangs. With each kind, gangs of higher priority come before all others."""

    SLACK = "Slack"
    """A latest start: the planned start plus a third of the run time. By then, later plans may reorder the queue."""
    CONSERVATIVE = "Conservative"
    """The start of the first plan, or an earlier one: conservative backfilling."""
    EASY = "EASY"
    """Only the first waiting gang is never delayed: EASY backfilling."""
    NONE = "None"
    """Nothing: any gang that fits now starts."""
