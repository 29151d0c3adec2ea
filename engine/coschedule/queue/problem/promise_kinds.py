"""What may be promised to gangs that wait."""

from enum import StrEnum


class Promises(StrEnum):
    """What is promised to gangs that wait. Within each kind, more urgent gangs come before all others."""

    SLACK = "Slack"
    """A start and, beyond it, a third of the time the run takes: room in which the queue is planned anew."""
    CONSERVATIVE = "Conservative"
    """The start that was planned first, or an earlier one: conservative backfilling."""
    EASY = "EASY"
    """The first gang that has to wait is not delayed; all others may be: EASY backfilling."""
    NONE = "None"
    """Nothing: whoever fits now starts."""
