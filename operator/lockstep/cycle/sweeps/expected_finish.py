"""The likely end of a sweep, from its pace so far and the run times of the runs that are left."""

from dataclasses import dataclass

from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds

_AGAIN_AFTER_SECONDS = 60.0
_AGAIN_AFTER_SHARE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPace:
    """The progress of a sweep: the ends of its runs, the number of ``running`` ones, and when the first was created.

    The sweep needs ``first`` successes, or the end of all runs if that is None. On otherwise idle nodes, all runs that
    are left end at the time ``at_best``; None if unknown. Times are in seconds of one clock.
    """

    ends: RunEnds
    running: int
    first: int | None
    started_at: float
    at_best: float | None


def expected_finish(pace: SweepPace, now: float) -> float | None:
    """The likely end of the runs that are left; None while no run holds nodes, or if nothing is known."""
    if pace.running == 0:
        return None
    times = [time for time in (_by_pace(pace, now), None if pace.first else pace.at_best) if time is not None]
    return max([now, *times]) if times else None


def steady(before: float | None, found: float | None, now: float) -> float | None:
    """The time to write: ``before``, unless this is missing or over, or ``found`` is clearly different.

    The difference must be at least a minute, and a tenth of the time that is left.
    """
    if before is None or found is None or before < now:
        return found
    least = max(_AGAIN_AFTER_SECONDS, _AGAIN_AFTER_SHARE * (before - now))
    return before if abs(found - before) < least else found


def _by_pace(pace: SweepPace, now: float) -> float | None:
    """The end if the other runs take as long as those that have ended; None before one has ended.

    Running runs count as half done, as they are on average.
    """
    ends = pace.ends
    ended = ends.count(RunEnd.SUCCEEDED) + ends.count(RunEnd.FAILED)
    if not ended:
        return None
    done = ended + pace.running / 2
    wanted = len(ends) if pace.first is None else ended + max(0, pace.first - ends.count(RunEnd.SUCCEEDED))
    return now + max(0.0, wanted - done) * (now - pace.started_at) / done
