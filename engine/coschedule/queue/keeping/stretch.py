"""The factor by which a gang's run time has changed since it was planned, if all sizes have the same factor."""

import math
from collections.abc import Sequence
from typing import assert_never

from coschedule.model.numbers import Number
from coschedule.model.run_times import ProfileWork, SerialWork, TimesWork, Work

# A relative difference: times that were multiplied one by one differ by rounding.
_SAME_SHARE = 1e-9


def stretch(before: Work | None, work: Work | None) -> float | None:
    """Return the factor by which all run times have changed; None if factors differ, or the kinds of work differ."""
    if before == work:
        return 1.0
    if before is None or work is None or type(before) is not type(work):
        return None
    times, new_times = _times(before), _times(work)
    if len(times) != len(new_times) or _measured(before) != _measured(work):
        return None
    pairs = [(float(time), float(new)) for time, new in zip(times, new_times, strict=True)]
    ratio = next(new / time for time, new in pairs if 0 < time < math.inf)
    is_same = all(math.isclose(new, time * ratio, rel_tol=_SAME_SHARE) for time, new in pairs)
    return ratio if is_same else None


def _times(work: Work) -> Sequence[Number]:
    match work:
        case SerialWork():
            return work.serial, work.fixed, work.per_member, work.per_log_member
        case TimesWork():
            return work.times
        case ProfileWork():
            return [point.seconds for point in work.points] if work.law is None else _times(work.law)
        case _:
            assert_never(work)


def _measured(work: Work) -> tuple[Sequence[int], bool]:
    """Return the sizes of a profile, and whether its run times follow a law; () and False for other kinds of work."""
    return (
        ([point.members for point in work.points], work.law is not None)
        if isinstance(work, ProfileWork)
        else ((), False)
    )
