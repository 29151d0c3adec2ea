"""What became of a gang, beside what was promised to it: told to the metrics."""

import math

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.past_runs import factor_planned_with
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.facts.gang.gang import GangFact, WorkSource
from lockstep.facts.past_runs import Learned
from lockstep.report.metrics.finish_metrics import FinishMetrics
from lockstep.report.metrics.prediction_metrics import Predictions

_SHORTEST_SECONDS = 1e-3


def note_placed(predictions: Predictions, gang: GangFact) -> None:
    """All members are bound."""
    if gang.spec is not None:
        size = sum(entry.count for entry in gang.status.members)
        predictions.placed(size=size, minimum=gang.spec.minimum, maximum=gang.spec.maximum)


def note_started(
    predictions: Predictions, gang: GangFact, reservation: Reservation, *, since: float, skew: float
) -> None:
    """All members run, since that time; the last of them began so long after the first."""
    planned = first_planned_start(gang, reservation)
    predictions.started(wait=since - gang.created, planned_wait=planned - gang.created, skew=skew)


def note_succeeded(
    predictions: Predictions, gang: GangFact, reservation: Reservation, run_time: float, learned: Learned | None
) -> None:
    """All members have succeeded, after running so long. Says nothing where no run time was predicted.

    ``learned`` is what is in force for the gang.
    """
    if reservation.expected_finish is None:
        return
    predicted = max(reservation.expected_finish - reservation.start, _SHORTEST_SECONDS)
    predictions.succeeded(run_time=max(0.0, run_time), predicted=predicted, alone=_seconds_alone(gang, learned))


def note_finished(
    finishes: FinishMetrics, gang: GangFact, reservation: Reservation, run_time: float, *, now: float
) -> None:
    """All members have succeeded, after running so long. Says nothing where the gang was told no finish."""
    predicted = reservation.expected_finish
    told = predicted if gang.status.plan is None else gang.status.plan.expected_finish
    if predicted is None or told is None:
        return
    finishes.finished(
        created=gang.created,
        forecast=told,
        finish=now,
        ran_longer=run_time - (predicted - reservation.start),
        attempt=reservation.attempt,
    )


def speedup_reached(gang: GangFact, run_time: float | None, learned: Learned | None) -> float | None:
    """How many times faster than one member alone the gang has run; None where either time is unknown.

    ``learned`` is what is in force for the gang.
    """
    alone = _seconds_alone(gang, learned)
    return None if alone is None or run_time is None else alone / max(run_time, _SHORTEST_SECONDS)


def first_planned_start(gang: GangFact, reservation: Reservation) -> float:
    """The start that the first plan gave.

    The status keeps whole seconds; where nothing was put off, the reservation knows better.
    """
    first = gang.status.first_planned_start
    return reservation.start if first is None or abs(first - reservation.start) < 1 else first


def _seconds_alone(gang: GangFact, learned: Learned | None) -> float | None:
    """What one member alone would need on an idle reference node, if the work says so; as it was planned.

    The factor of a plan by a law is that of its size alone: there the law says it, as it is in force now. Where members
    report progress, nobody knows any more how much of the work the attempt had to do.
    """
    used = gang.status.work_used
    by_law = used is not None and used.source == WorkSource.LEARNED
    work = remaining_work(gang, learned if by_law else None)
    if work is None or gang.status.progress:
        return None
    [alone] = work.float_times(1)
    times = 1.0 if by_law else factor_planned_with(gang.status)
    return float(alone) * times if math.isfinite(alone) else None
