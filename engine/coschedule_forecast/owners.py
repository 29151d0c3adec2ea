"""Forecasts a node owner's presence in the next hours, and the probability that the owner comes in each hour."""

from collections.abc import Sequence
from itertools import pairwise

from coschedule_forecast import blend, hours_ahead

PAST, LAST_HOUR, FORECAST = 0.6, 0.3, 0.5
"""The weights A, B and C. These A and B gave the best forecasts [C 5.5.2]. C is our own choice."""

LEAST_PRESENCE = 0.05
"""Smaller probabilities count as 0: traces of old days would make uninterruptible gangs avoid the node."""


def day_ahead(habits: Sequence[float], *, last: float, now: float) -> list[float]:
    """Forecast presence, from 0 to 1, in each hour of ``habits``; the first one is the current hour.

    ``last`` is the presence in the hour before, and ``now`` is the newest value.
    """
    first, *others = hours_ahead(habits, last=last, last_hour=LAST_HOUR)
    return [float(value) for value in (blend(FORECAST, first, now), *others)]


def comings(presence: Sequence[float]) -> list[float]:
    """Return the probability that the owner comes in each hour, if the owner was absent before that hour.

    ``presence`` has the probability that the owner is present in each hour. An owner is assumed to leave only if
    presence gets less likely. So the probability of coming is the rise of the probability of presence, divided by the
    probability of absence before. While presence never gets less likely, the probability that the owner has come by
    some hour equals the probability of presence in this hour. Probabilities below ``LEAST_PRESENCE`` count as 0.
    """
    likely = [one if one >= LEAST_PRESENCE else 0.0 for one in presence]
    return [*likely[:1], *(max(0.0, after - before) / (1 - before or 1) for before, after in pairwise(likely))]
