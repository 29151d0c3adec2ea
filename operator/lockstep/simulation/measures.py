"""What came of a simulation."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.machine import Ran
from lockstep.simulation.promises import Word

FloatArray = NDArray[np.float64]

# A shorter run counts as one of so many seconds, or the slow-down of tiny jobs would be all that is seen.
_BOUND_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Times in seconds; a job waits until it starts for the first time.

    A slow-down is the turnaround over the run time with the rigid size, 1 at least.

    ``utilisation`` is the part of all node-seconds, until the last end, in which jobs ran. ``fairness`` is Jain's index
    of the mean slow-downs of users: 1 where all are alike, 1/n where one of n has all the slow-down.

    ``work_lost`` is the part of the node-seconds in which jobs ran whose result an owner's return took,
    ``interruptions`` how many there were for each job. ``changes`` are how often each job changed its size.

    A quarter of the jobs each, by their node-seconds with rigid sizes, is small, medium, large and huge.

    Of jobs that were told of their start before it came: the part of all jobs that they are; the part that had started
    by the earliest start ever promised; how often a promise was moved later; the median of the first promised wait over
    the real one; the part that started by what was first called likely; and how far that was off, over the real wait:
    the median, and what nine of ten are below.

    What nothing is known of is nan.
    """

    mean_wait: float
    p95_wait: float
    mean_turnaround: float
    p95_turnaround: float
    longest_turnaround: float
    mean_slowdown: float
    mean_size: float
    utilisation: float
    fairness: float
    small_turnaround: float
    medium_turnaround: float
    large_turnaround: float
    huge_turnaround: float
    small_slowdown: float
    medium_slowdown: float
    large_slowdown: float
    huge_slowdown: float
    work_lost: float
    interruptions: float
    changes: float
    told: float
    promises_kept: float
    promises_moved_later: float
    promised_over_real_wait: float
    started_by_likely: float
    started_by_late: float
    likely_error_median: float
    likely_error_p90: float


NAMES = tuple(one.name for one in fields(Measures))

CLASSES = ("small", "medium", "large", "huge")


def measured(runs: Sequence[Ran], nodes: int) -> Measures:
    """Measure some runs, one at least."""
    waits = np.array([run.first_start - run.submitted for run in runs])
    turnarounds = np.array([run.end - run.submitted for run in runs])
    slowdowns = _slowdowns(runs, turnarounds)
    sizes = np.array([run.size for run in runs])
    attempts = [(attempt, len(attempt.nodes)) for run in runs for attempt in run.earlier]
    busy = float(sizes @ np.array([run.end - run.start for run in runs]))
    busy += sum((attempt.end - attempt.start) * size for attempt, size in attempts)
    span = max(run.end for run in runs) - min(run.submitted for run in runs)
    return Measures(
        mean_wait=float(waits.mean()),
        p95_wait=float(np.percentile(waits, 95)),
        mean_turnaround=float(turnarounds.mean()),
        p95_turnaround=float(np.percentile(turnarounds, 95)),
        longest_turnaround=float(turnarounds.max()),
        mean_slowdown=float(slowdowns.mean()),
        mean_size=float(sizes.mean()),
        utilisation=busy / (nodes * span) if span else 1.0,
        fairness=_fairness([run.arrival.owner for run in runs], slowdowns),
        work_lost=sum(attempt.lost * size for attempt, size in attempts) / busy,
        interruptions=sum(not attempt.resized for attempt, _ in attempts) / len(runs),
        changes=sum(attempt.resized for attempt, _ in attempts) / len(runs),
        **dict(_by_class(runs, turnarounds, slowdowns)),
        **_of_promises(runs),
    )


def words_of(runs: Sequence[Ran]) -> list[tuple[Ran, Word]]:
    """List the runs that had to wait and were told of their start, with what they were told."""
    return [(run, run.word) for run in runs if run.word is not None and run.first_start > run.submitted]


def _slowdowns(runs: Sequence[Ran], turnarounds: FloatArray) -> FloatArray:
    rigid = np.maximum(_BOUND_SECONDS, [run.arrival.rigid_time for run in runs])
    slowdowns: FloatArray = np.maximum(1.0, turnarounds / rigid)
    return slowdowns


def _fairness(owners: Sequence[int | None], slowdowns: FloatArray) -> float:
    by_owner: dict[int, list[float]] = {}
    for owner, slowdown in zip(owners, slowdowns.tolist(), strict=True):
        if owner is not None:
            by_owner.setdefault(owner, []).append(slowdown)
    means = np.array([np.mean(of_one) for of_one in by_owner.values()])
    return float(means.sum() ** 2 / (len(means) * (means**2).sum())) if len(means) else math.nan


def _by_class(runs: Sequence[Ran], turnarounds: FloatArray, slowdowns: FloatArray) -> Iterator[tuple[str, float]]:
    """Average within the quarters of the jobs, by their rigid work, and of equal work by their numbers."""
    work = [(run.arrival.rigid_time * run.arrival.job.size, run.arrival.job.number) for run in runs]
    order = sorted(range(len(runs)), key=work.__getitem__)
    for name, of_class in zip(CLASSES, np.array_split(np.array(order), len(CLASSES)), strict=True):
        yield f"{name}_turnaround", float(turnarounds[of_class].mean()) if len(of_class) else math.nan
        yield f"{name}_slowdown", float(slowdowns[of_class].mean()) if len(of_class) else math.nan


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _of_promises(runs: Sequence[Ran]) -> dict[str, float]:
    told = words_of(runs)
    if not told:
        return dict.fromkeys(NAMES[NAMES.index("told") :], math.nan)
    waits = np.array([run.first_start - run.submitted for run, _ in told])
    promised = np.array([word.promised - run.submitted for run, word in told])
    errors = np.abs([word.likely - run.first_start for run, word in told]) / waits
    return {
        "told": len(told) / len(runs),
        "promises_kept": float(np.mean([word.is_kept_by(run.first_start) for run, word in told])),
        "promises_moved_later": sum(word.moved_later for _, word in told),
        "promised_over_real_wait": float(np.median(promised / waits)),
        "started_by_likely": float(np.mean([word.is_likely_by(run.first_start) for run, word in told])),
        "started_by_late": _mean([word.is_late_by(run.first_start) for run, word in told if not math.isnan(word.late)]),
        "likely_error_median": float(np.median(errors)),
        "likely_error_p90": float(np.percentile(errors, 90)),
    }
