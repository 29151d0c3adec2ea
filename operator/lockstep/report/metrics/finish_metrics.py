"""Compares the expected finish of gangs with the real one, by the main cause of the difference."""

from enum import StrEnum

from prometheus_client import CollectorRegistry, Histogram

from lockstep.report.metrics.prediction_metrics import WAIT_BUCKETS

_RATIO_BUCKETS = (0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 4)
# A shorter time counts as this long, so that no ratio is huge.
_SHORTEST_SECONDS = 1.0


class FinishChange(StrEnum):
    """The main cause of the difference between the expected and the real finish of a gang.

    Users see these values as labels of metrics. New values may be added.
    """

    PLAN = "Plan"
    """The start, the size or the nodes differed from the last plan before the gang's start."""
    RUN_TIME = "RunTime"
    """The gang ran longer or shorter than predicted for its size and nodes."""
    ATTEMPTS = "Attempts"
    """The gang did not succeed in its first attempt."""


class FinishMetrics:
    """Metrics of finishes. They are observed when a gang that had an expected finish has succeeded."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._error = Histogram(
            "lockstep_finish_error_seconds",
            "Time between a gang's real finish and its expected finish at the start, by the main cause.",
            ["reason"],
            buckets=WAIT_BUCKETS,
            registry=registry,
        )
        self._ratio = Histogram(
            "lockstep_finish_ratio",
            "Turnaround of a gang divided by its expected turnaround, by the main cause of the difference. "
            "Turnaround is the time from creation to finish.",
            ["reason"],
            buckets=_RATIO_BUCKETS,
            registry=registry,
        )
        for change in FinishChange:
            self._error.labels(change)
            self._ratio.labels(change)

    def finished(self, *, created: float, forecast: float, finish: float, ran_longer: float, attempt: int) -> None:
        """Record a gang that succeeded at ``finish``, in this ``attempt``. Its expected finish was ``forecast``.

        The gang ran ``ran_longer`` seconds longer than predicted, or shorter if the number is negative.
        """
        moved = finish - forecast
        change = FinishChange.PLAN
        if attempt > 1:
            change = FinishChange.ATTEMPTS
        elif abs(ran_longer) >= abs(moved - ran_longer):
            change = FinishChange.RUN_TIME
        self._error.labels(change).observe(abs(moved))
        self._ratio.labels(change).observe(
            max(finish - created, _SHORTEST_SECONDS) / max(forecast - created, _SHORTEST_SECONDS)
        )
