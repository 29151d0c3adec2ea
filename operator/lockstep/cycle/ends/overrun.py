"""When the status of a gang reports an overrun. The gang goes on, and waiting gangs are planned again."""

from lockstep.belief.run_times.overruns import reported_at
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition


def overrun_time(gang: GangFact) -> float | None:
    """The time of day at which the status must report an overrun.

    None if the status already reports it, or if the gang does not run or has no expected finish.
    """
    status = gang.status
    if status.end is not None or status.started_at is None or status.start is None or status.expected_finish is None:
        return None
    if status.is_true(Condition.OVERRUNNING) or not status.is_true(Condition.PLACED):
        return None
    return reported_at(start=status.start, expected=status.expected_finish)


def overruns(gang: GangFact, now: float) -> bool:
    """Whether the status must report the overrun now."""
    at = overrun_time(gang)
    return at is not None and at <= now
