"""What came of a simulation."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from lockstep.simulation.machine import Ran

# A shorter run counts as one of so many seconds, or the slow-down of tiny jobs would be all that is seen.
_BOUND_SECONDS = 10.0
# Of a normal distribution: 95 % of it is within so many standard errors.
_Z = 1.96


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Times in seconds. ``utilisation`` is the part of all node-seconds, until the last end, in which jobs ran."""

    mean_wait: float
    p95_wait: float
    mean_turnaround: float
    p95_turnaround: float
    mean_slowdown: float
    mean_size: float
    utilisation: float


NAMES = tuple(one.name for one in fields(Measures))


def measured(runs: Sequence[Ran], nodes: int) -> Measures:
    """Measure some runs, one at least; the bounded slow-down is against the run with the job's rigid size."""
    waits = np.array([run.start - run.submitted for run in runs])
    turnarounds = np.array([run.end - run.submitted for run in runs])
    rigid = np.maximum(_BOUND_SECONDS, [run.arrival.rigid_time for run in runs])
    sizes = np.array([run.size for run in runs])
    busy = float(sizes @ np.array([run.end - run.start for run in runs]))
    span = max(run.end for run in runs) - min(run.submitted for run in runs)
    return Measures(
        mean_wait=float(waits.mean()),
        p95_wait=float(np.percentile(waits, 95)),
        mean_turnaround=float(turnarounds.mean()),
        p95_turnaround=float(np.percentile(turnarounds, 95)),
        mean_slowdown=float(np.maximum(1.0, turnarounds / rigid).mean()),
        mean_size=float(sizes.mean()),
        utilisation=busy / (nodes * span) if span else 1.0,
    )


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Return a mean and half of its 95 % confidence interval; nan where there is only one value."""
    mean = float(np.mean(values))
    if len(values) == 1:
        return mean, math.nan
    return mean, _Z * float(np.std(values, ddof=1)) / math.sqrt(len(values))
