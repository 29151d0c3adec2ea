"""The kinds of promises to waiting gangs."""

from enum import StrEnum


class Promises(StrEnum):
    """The promises to waiting gangs. With each kind, gangs of higher priority come before all others."""

    SLACK = "Slack"
    """A latest start: the planned start plus a third of the run time. Later plans may delay the gang until then."""
    CONSERVATIVE = "Conservative"
    """The planned start in the first plan: conservative backfilling."""
    EASY = "EASY"
    """Only the first waiting gang is never delayed: EASY backfilling."""
    NONE = "None"
    """Nothing: any gang that fits now starts."""
