"""The measures of a simulation."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from lockstep.simulation.group_measures import share_index, worst_group
from lockstep.simulation.machine import Ran
from lockstep.simulation.model.promises import PromiseHistory

FloatArray = NDArray[np.float64]

# Shorter runs count as this long; otherwise the slow-downs of tiny jobs would outweigh all others.
_BOUND_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Times in seconds; a job waits until it starts for the first time.

    A slow-down is the turnaround divided by the run time with the rigid size, and is never below 1. A run time below
    10 seconds counts as 10 seconds.

    ``mean_size`` is the mean number of members with which jobs end. ``utilisation`` is the part of all node-seconds,
    from the first submission to the last end, in which jobs ran. ``fairness`` is Jain's index of the mean slow-downs of
    users. It is 1 if all users have the same, and 1/n if one of n users has all the slow-down. ``worst_group`` and
    ``share_index`` describe groups that share the nodes (``group_measures``).

    ``work_lost`` is the work that was lost because node owners came back, as a part of the node-seconds in which jobs
    ran.
    ``interruptions`` and ``changes`` are the mean numbers of interruptions and of changes of size of a job.

    Jobs are sorted by their node-seconds with rigid sizes. The first quarter is small, the next ones are medium, large
    and huge.

    All measures from ``told`` on describe the jobs that waited and got a promise; ``told`` is their share of all jobs.
    ``promises_kept`` is the share that started by the earliest promise. ``broken_by_owners`` is the share that started
    later, and that had a promise when an owner came back and interrupted a job. ``promises_moved_later`` is how often
    promises moved later, all jobs together. ``promised_over_real_wait`` is the median of the first promised wait
    divided by the real wait. ``started_by_likely`` and ``started_by_late`` are the shares that started by the first
    likely start, and by the first late start (``StartPromise``). ``likely_error_median`` and ``likely_error_p90`` are
    the median and the 90th percentile of an error: the error of the first likely start, divided by the real wait.

    A measure without data is nan.
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
    worst_group: float
    share_index: float
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
    broken_by_owners: float
    promises_moved_later: float
    promised_over_real_wait: float
    started_by_likely: float
    started_by_late: float
    likely_error_median: float
    likely_error_p90: float


NAMES = tuple(one.name for one in fields(Measures))

CLASSES = ("small", "medium", "large", "huge")


def measured(runs: Sequence[Ran], nodes: int) -> Measures:
    """Measure one or more runs on this number of nodes."""
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
        fairness=_fairness([run.arrival.user for run in runs], slowdowns),
        worst_group=worst_group(runs, slowdowns.tolist()),
        share_index=share_index(runs),
        work_lost=sum(attempt.lost * size for attempt, size in attempts) / busy,
        interruptions=sum(not attempt.resized for attempt, _ in attempts) / len(runs),
        changes=sum(attempt.resized for attempt, _ in attempts) / len(runs),
        **dict(_by_class(runs, turnarounds, slowdowns)),
        **_of_promises(runs),
    )


def promised_runs(runs: Sequence[Ran]) -> list[tuple[Ran, PromiseHistory]]:
    """List the runs that waited and got a promise, with their promises."""
    return [(run, run.promises) for run in runs if run.promises is not None and run.first_start > run.submitted]


def _slowdowns(runs: Sequence[Ran], turnarounds: FloatArray) -> FloatArray:
    rigid = np.maximum(_BOUND_SECONDS, [run.arrival.rigid_time for run in runs])
    slowdowns: FloatArray = np.maximum(1.0, turnarounds / rigid)
    return slowdowns


def _fairness(users: Sequence[int | None], slowdowns: FloatArray) -> float:
    by_user: dict[int, list[float]] = {}
    for user, slowdown in zip(users, slowdowns.tolist(), strict=True):
        if user is not None:
            by_user.setdefault(user, []).append(slowdown)
    means = np.array([np.mean(of_one) for of_one in by_user.values()])
    return float(means.sum() ** 2 / (len(means) * (means**2).sum())) if len(means) else math.nan


def _by_class(runs: Sequence[Ran], turnarounds: FloatArray, slowdowns: FloatArray) -> Iterator[tuple[str, float]]:
    """Average within the quarters of the jobs by rigid work; jobs of equal work are ordered by their numbers."""
    work = [(run.arrival.rigid_time * run.arrival.job.size, run.arrival.job.number) for run in runs]
    order = sorted(range(len(runs)), key=work.__getitem__)
    for name, of_class in zip(CLASSES, np.array_split(np.array(order), len(CLASSES)), strict=True):
        yield f"{name}_turnaround", float(turnarounds[of_class].mean()) if len(of_class) else math.nan
        yield f"{name}_slowdown", float(slowdowns[of_class].mean()) if len(of_class) else math.nan


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else math.nan


def _of_promises(runs: Sequence[Ran]) -> dict[str, float]:
    waited = promised_runs(runs)
    if not waited:
        return dict.fromkeys(NAMES[NAMES.index("told") :], math.nan)
    waits = np.array([run.first_start - run.submitted for run, _ in waited])
    promised = np.array([promises.promised - run.submitted for run, promises in waited])
    errors = np.abs([promises.likely - run.first_start for run, promises in waited]) / waits
    return {
        "told": len(waited) / len(runs),
        "promises_kept": float(np.mean([promises.is_kept_by(run.first_start) for run, promises in waited])),
        "broken_by_owners": float(
            np.mean([promises.has_met_owner and not promises.is_kept_by(run.first_start) for run, promises in waited])
        ),
        "promises_moved_later": sum(promises.moved_later for _, promises in waited),
        "promised_over_real_wait": float(np.median(promised / waits)),
        "started_by_likely": float(np.mean([promises.is_likely_by(run.first_start) for run, promises in waited])),
        "started_by_late": _mean(
            [promises.is_late_by(run.first_start) for run, promises in waited if not math.isnan(promises.late)]
        ),
        "likely_error_median": float(np.median(errors)),
        "likely_error_p90": float(np.percentile(errors, 90)),
    }
