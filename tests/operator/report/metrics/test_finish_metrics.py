"""The forecast finish of gangs beside the real one."""

import pytest
from prometheus_client import CollectorRegistry

from lockstep.report.metrics.finish_metrics import FinishMetrics


@pytest.mark.parametrize(
    ("forecast", "finish", "ran_longer", "attempt", "want"),
    [
        pytest.param(200, 300, 100, 1, ("RunTime", 100, 1.5), id="ran longer"),
        pytest.param(200, 150, -50, 1, ("RunTime", 50, 0.75), id="ran shorter"),
        pytest.param(200, 200, 0, 1, ("RunTime", 0, 1), id="as forecast"),
        pytest.param(200, 100, 0, 1, ("Plan", 100, 0.5), id="started sooner"),
        pytest.param(200, 260, -20, 1, ("Plan", 60, 1.3), id="started later, and ran shorter"),
        pytest.param(200, 400, 200, 2, ("Attempts", 200, 2), id="second attempt"),
        pytest.param(-5, 100, 1, 1, ("Plan", 105, 100), id="forecast a time before it came: a foreign status"),
    ],
)
def test_what_moved_a_finish_most(forecast, finish, ran_longer, attempt, want):
    registry = CollectorRegistry()

    FinishMetrics(registry).finished(
        created=0, forecast=forecast, finish=finish, ran_longer=ran_longer, attempt=attempt
    )

    reason, error, ratio = want
    for name, value in (("lockstep_finish_error_seconds", error), ("lockstep_finish_ratio", ratio)):
        assert registry.get_sample_value(f"{name}_count", {"reason": reason}) == 1
        assert registry.get_sample_value(f"{name}_sum", {"reason": reason}) == pytest.approx(value)
