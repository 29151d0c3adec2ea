"""When a sweep is likely to have ended: by its pace so far, and by the run times of what is left."""

from dataclasses import dataclass

from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds

_AGAIN_AFTER_SECONDS = 60.0
_AGAIN_AFTER_SHARE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPace:
    """How a sweep has come on: its runs by their ends, ``running`` ones, and when the first was made.

    It needs ``first`` successes, None for the end of all. All runs that are left have ended ``at_best`` on nodes that
    have nothing else to do, None if that is unknown. Times are in s of one clock.
    """

    ends: RunEnds
    running: int
    first: int | None
    started_at: float
    at_best: float | None


def expected_finish(pace: SweepPace, now: float) -> float | None:
    """When the runs that are left are likely to have ended; None while none holds nodes, and if nothing is known."""
    if pace.running == 0:
        return None
    times = [time for time in (_by_pace(pace, now), None if pace.first else pace.at_best) if time is not None]
    return max([now, *times]) if times else None


def steady(before: float | None, found: float | None, now: float) -> float | None:
    """The time to write: the one from ``before`` unless it has moved by a minute and by a tenth of what is left."""
    if before is None or found is None or before < now:
        return found
    least = max(_AGAIN_AFTER_SECONDS, _AGAIN_AFTER_SHARE * (before - now))
    return before if abs(found - before) < least else found


def _by_pace(pace: SweepPace, now: float) -> float | None:
    """As if the others took as long as those that have ended; None before one has.

    Runs under way count as half done, as they are on average.
    """
    ends = pace.ends
    ended = ends.count(RunEnd.SUCCEEDED) + ends.count(RunEnd.FAILED)
    if not ended:
        return None
    done = ended + pace.running / 2
    wanted = len(ends) if pace.first is None else ended + max(0, pace.first - ends.count(RunEnd.SUCCEEDED))
    return now + max(0.0, wanted - done) * (now - pace.started_at) / done
