"""What is made of an owner's past presence: the next hours, and how likely the owner comes in each."""

from collections.abc import Sequence
from itertools import pairwise

from coschedule_forecast import blend, hours_ahead

PAST, LAST_HOUR, FORECAST = 0.6, 0.3, 0.5
"""The weights A, B and C: with these A and B forecasts were best [C 5.5.2]; C has no best, and is even."""

LEAST_PRESENCE = 0.05
"""What is less likely is what old days have left behind: gangs that may never be interrupted would avoid the node."""


def day_ahead(habits: Sequence[float], *, last: float, now: float) -> list[float]:
    """Forecast the hours of these habits, from this one on; ``last`` is the hour before, ``now`` the newest value."""
    first, *others = hours_ahead(habits, last=last, last_hour=LAST_HOUR)
    return [float(value) for value in (blend(FORECAST, first, now), *others)]


def comings(presence: Sequence[float]) -> list[float]:
    """Turn how likely the owner is there in each hour into how likely the owner comes in it, if not there before.

    Who comes is taken to stay for as long as it is likely: so the owner comes in an hour with the probability by which
    being there becomes likelier. Until an hour with a probability of p, at least the largest so far, nobody has come
    with the probability 1 - p.
    """
    likely = [one if one >= LEAST_PRESENCE else 0.0 for one in presence]
    return [*likely[:1], *(max(0.0, after - before) / (1 - before or 1) for before, after in pairwise(likely))]
