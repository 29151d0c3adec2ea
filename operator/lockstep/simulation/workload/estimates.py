"""Run times of jobs as users estimate them.

After D. Tsafrir, Y. Etsion and D. G. Feitelson, *Modeling user runtime estimates*, JSSPP 2005. As in that model,
estimates are few round values. Nearly all users choose one of the twenty most popular values, and the popularity falls
exponentially with the rank. The longest allowed estimate is among the most popular. A job never runs longer than its
estimate; otherwise its run time does not depend on its estimate.

This model is simpler. The values, their order and the fall of their popularity are fixed here and not fitted to a log.
There are no rare values. The estimates of one user are no more alike than the estimates of different users.
"""

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

_MINUTE, _HOUR = 60.0, 3600.0
# The estimates by popularity, except the longest allowed one, which comes first.
_POPULAR = (
    *(1 * _HOUR, 2 * _HOUR, 5 * _MINUTE, 15 * _MINUTE, 30 * _MINUTE, 4 * _HOUR, 10 * _MINUTE, 12 * _HOUR, 3 * _HOUR),
    *(24 * _HOUR, 6 * _HOUR, 20 * _MINUTE, 8 * _HOUR, 10 * _HOUR, 18 * _HOUR, 5 * _HOUR, 1 * _MINUTE, 36 * _HOUR),
    90 * _MINUTE,
)
_FALL = 0.18
# The longest allowed estimate is 48 hours. If a job runs longer, this estimate is raised, in steps of 12 hours.
_LONGEST, _STEP = 48 * _HOUR, 12 * _HOUR


def estimates(seconds: FloatArray, random: np.random.Generator) -> FloatArray:
    """Return users' estimates for jobs that run these ``seconds``; no job runs longer than its estimate.

    All estimates are drawn first. Then each job, the longest job first, gets a random estimate that is long enough. If
    none is left, the job gets the next longer round value.
    """
    longest = max(_LONGEST, _STEP * math.ceil(seconds.max() / _STEP))
    values = np.array((longest, *_POPULAR))
    popularity = np.exp(-_FALL * np.arange(len(values)))
    left = np.sort(random.choice(values, size=len(seconds), p=popularity / popularity.sum())).tolist()
    stated, enough = np.empty(len(seconds)), []
    for job in np.argsort(-seconds, kind="stable").tolist():
        while left and left[-1] >= seconds[job]:
            enough.append(left.pop())
        stated[job] = enough.pop(random.integers(len(enough))) if enough else values[values >= seconds[job]].min()
    return stated
