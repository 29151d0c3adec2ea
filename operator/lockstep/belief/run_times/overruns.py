"""The expected end of anything that lasts longer than expected, as a function of times alone.

So the expected end is the same after a restart.
"""

import math

OVERRUN_SHARE = 0.05
"""An overrun moves the expected end by this share of the elapsed time (docs/operations/run-times.md)."""

_LOGARITHM_OF_STEP = math.log(1 + OVERRUN_SHARE)
# A status keeps whole seconds: without this minimum, steps from an expected duration of 0 would not advance.
_SHORTEST_SECONDS = 1.0
# An overrun is reported after this time at the latest, however long the run is. A run that ends before its report is
# due is never reported.
_LONGEST_PATIENCE_SECONDS = 60.0


def reported_at(*, start: float, expected: float) -> float:
    """When an overrun is reported: one step after the expected end, but at most a minute after it."""
    step = OVERRUN_SHARE * (expected - start)
    return expected + min(max(step, _SHORTEST_SECONDS), _LONGEST_PATIENCE_SECONDS)


def patience(seconds: float) -> float:
    """The shortest time between two plans, if nothing else happens, for a run or a wait that has taken ``seconds``.

    It is half a step of an overrun, from 1 to 60 seconds. So a plan is made for each step of a gang that overruns, and
    many such gangs share plans: the number of plans does not grow with the number of gangs.
    """
    return min(max(OVERRUN_SHARE * seconds / 2, _SHORTEST_SECONDS), _LONGEST_PATIENCE_SECONDS)


def end_after(now: float, *, start: float, expected: float) -> float:
    """The end expected now: ``expected`` while that is in the future, else the first step of the overrun after ``now``.

    Each step is later than the step before by ``OVERRUN_SHARE`` of the time since ``start``. All times are finite, in
    seconds since the epoch.
    """
    if now < expected:
        return expected
    first = max(expected - start, _SHORTEST_SECONDS)
    # A short run may have overrun by hundreds of steps. By rounding, the logarithm may be wrong by one step.
    steps = max(1, int(math.log(max(now - start, first) / first) / _LOGARITHM_OF_STEP))
    while start + first * (1 + OVERRUN_SHARE) ** steps <= now:
        steps += 1
    return start + first * (1 + OVERRUN_SHARE) ** steps
