"""When whatever lasts longer than expected is expected to end: a rule of times alone, the same after a restart."""

OVERRUN_SHARE = 0.05
"""By this share of the time that has elapsed an overrun moves the expected end (docs/architecture.md, predictions)."""

# A status keeps whole seconds: the steps of what was expected to last no longer would never get anywhere.
_SHORTEST_SECONDS = 1.0
# An overrun of a long run is reported soon all the same; a run that ends about when it should is not reported.
_LONGEST_PATIENCE_SECONDS = 60.0


def reported_at(*, start: float, expected: float) -> float:
    """When it is reported that what was expected to end by then overruns: after a first step, a minute at most."""
    step = OVERRUN_SHARE * (expected - start)
    return expected + min(max(step, _SHORTEST_SECONDS), _LONGEST_PATIENCE_SECONDS)


def end_after(now: float, *, start: float, expected: float) -> float:
    """The end expected now: ``expected`` while that is to come, else the first step of the overrun that is.

    Each step is later than the one before by ``OVERRUN_SHARE`` of the time from ``start`` to that one. All are finite
    seconds since the epoch.
    """
    elapsed = max(expected - start, _SHORTEST_SECONDS)
    end = expected
    while end <= now:
        elapsed *= 1 + OVERRUN_SHARE
        end = start + elapsed
    return end
