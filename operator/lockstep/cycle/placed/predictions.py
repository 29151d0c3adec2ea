"""Compares starts and run times of gangs with their predictions, for the metrics."""

import math

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.past_runs import factor_planned_with
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import WorkSource
from lockstep.facts.past_runs import Learned
from lockstep.report.metrics.finish_metrics import FinishMetrics
from lockstep.report.metrics.prediction_metrics import Predictions
from lockstep.report.metrics.size_change_metrics import SizeChangeMetrics

_SHORTEST_SECONDS = 1e-3


def record_placed(predictions: Predictions, gang: GangFact) -> None:
    """Record that all members of the gang are bound."""
    if isinstance(gang, AcceptedGang):
        size = sum(entry.count for entry in gang.status.members)
        predictions.placed(size=size, minimum=gang.spec.minimum, maximum=gang.spec.maximum)


def record_started(
    predictions: Predictions, gang: GangFact, reservation: Reservation, *, since: float, skew: float
) -> None:
    """Record that all members have run since the time of day ``since``.

    The last began ``skew`` seconds after the first. In a later attempt, the wait since the gang's creation includes an
    earlier run, so this wait is not recorded.
    """
    if gang.status.ran_before:
        predictions.started_again(skew=skew)
        return
    planned = first_planned_start(gang, reservation)
    predictions.started(wait=since - gang.created, planned_wait=planned - gang.created, skew=skew)


def record_succeeded(
    predictions: Predictions, gang: GangFact, reservation: Reservation, run_time: float, learned: Learned | None
) -> None:
    """Record that the gang has succeeded after ``run_time`` seconds; does nothing if no run time was predicted.

    ``learned`` has the learned run times that apply to the gang.
    """
    if reservation.expected_finish is None:
        return
    predicted = max(reservation.expected_finish - reservation.start, _SHORTEST_SECONDS)
    predictions.succeeded(run_time=max(0.0, run_time), predicted=predicted, alone=_seconds_alone(gang, learned))


def record_finished(
    finishes: FinishMetrics, gang: GangFact, reservation: Reservation, run_time: float, *, now: float
) -> None:
    """Record that the gang has finished after ``run_time`` seconds; does nothing if no finish was reported."""
    predicted = reservation.expected_finish
    reported = predicted if gang.status.plan is None else gang.status.plan.expected_finish
    if predicted is None or reported is None:
        return
    finishes.finished(
        created=gang.created,
        forecast=reported,
        finish=now,
        ran_longer=run_time - (predicted - reservation.start),
        attempt=reservation.attempt,
    )


def record_resized(changes: SizeChangeMetrics, gang: GangFact, *, now: float) -> None:
    """Compare the end of a gang that has succeeded with the end that was expected after its last change of size.

    Does nothing if the present size did not begin by a change, or if no end was expected.
    """
    status = gang.status
    if status.last_change is None or status.expected_finish is None or status.resized_at is None:
        return
    if status.resized_at == status.start:
        changes.ended(changed=status.resized_at, expected=status.expected_finish, now=now)


def speedup_reached(gang: GangFact, run_time: float | None, learned: Learned | None) -> float | None:
    """How many times faster the gang ran than one member alone would; None if either time is unknown.

    ``learned`` has the learned run times that apply to the gang.
    """
    alone = _seconds_alone(gang, learned)
    return None if alone is None or run_time is None else alone / max(run_time, _SHORTEST_SECONDS)


def first_planned_start(gang: GangFact, reservation: Reservation) -> float:
    """The start in the first plan.

    The status keeps whole seconds. If the start was not moved, the reservation has the exact time.
    """
    first = gang.status.first_planned_start
    return reservation.start if first is None or abs(first - reservation.start) < 1 else first


def _seconds_alone(gang: GangFact, learned: Learned | None) -> float | None:
    """The seconds that one member alone would need on an idle reference node, as planned; None if unknown.

    If a learned law made the plan, the factor in the status is valid for the planned size only. So the time comes from
    the law that applies now. If members report progress, it is unknown how much of the work the attempt had to do.
    """
    used = gang.status.work_used
    by_law = used is not None and used.source == WorkSource.LEARNED
    work = remaining_work(gang, learned if by_law else None)
    if work is None or gang.status.progress:
        return None
    [alone] = work.float_times(1)
    times = 1.0 if by_law else factor_planned_with(gang.status)
    return float(alone) * times if math.isfinite(alone) else None
