"""When gangs were told that they would end, against when they did, by what made the difference."""

from enum import StrEnum

from prometheus_client import CollectorRegistry, Histogram

from lockstep.report.metrics.prediction_metrics import WAIT_BUCKETS

_RATIO_BUCKETS = (0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 4)
# Of a gang that ends at once nobody asks how well its end was foreseen.
_SHORTEST_SECONDS = 1.0


class FinishChange(StrEnum):
    """What moved the finish of a gang most. Public: adding is compatible."""

    PLAN = "Plan"
    """Another start, size or nodes than it was told while it waited."""
    RUN_TIME = "RunTime"
    """It ran for longer or shorter than was predicted for its size and nodes."""
    ATTEMPTS = "Attempts"
    """It did not succeed in its first attempt."""


class FinishMetrics:
    """Observed when a gang has succeeded that was told of a finish."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._error = Histogram(
            "lockstep_finish_error_seconds",
            "Time between the finish that a gang was told last before it started and the real one, by what moved it.",
            ["reason"],
            buckets=WAIT_BUCKETS,
            registry=registry,
        )
        self._ratio = Histogram(
            "lockstep_finish_ratio",
            "Time from a gang's creation to its finish, divided by that to the finish it was told; by what moved it.",
            ["reason"],
            buckets=_RATIO_BUCKETS,
            registry=registry,
        )
        for change in FinishChange:
            self._error.labels(change)
            self._ratio.labels(change)

    def finished(self, *, created: float, told: float, finish: float, ran_longer: float, attempt: int) -> None:
        """A gang has succeeded at ``finish``, which was ``told`` to be another time.

        It ran ``ran_longer`` seconds more than was predicted, fewer if negative, in that ``attempt``.
        """
        moved = finish - told
        change = FinishChange.PLAN
        if attempt > 1:
            change = FinishChange.ATTEMPTS
        elif abs(ran_longer) >= abs(moved - ran_longer):
            change = FinishChange.RUN_TIME
        self._error.labels(change).observe(abs(moved))
        self._ratio.labels(change).observe(
            max(finish - created, _SHORTEST_SECONDS) / max(told - created, _SHORTEST_SECONDS)
        )
