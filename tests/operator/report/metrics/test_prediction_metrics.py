"""What was promised beside what came of it."""

import pytest
from prometheus_client import CollectorRegistry

from lockstep.report.metrics.prediction_metrics import Predictions


@pytest.fixture
def registry():
    return CollectorRegistry()


@pytest.fixture
def predictions(registry):
    return Predictions(registry)


def means(registry, *names):
    value = registry.get_sample_value
    return [value(f"{name}_sum") / value(f"{name}_count") for name in names]


def test_size_stands_beside_what_the_spec_allows(registry, predictions):
    predictions.placed(size=3, minimum=2, maximum=8)

    names = ("lockstep_gang_size_members", "lockstep_gang_size_min_members", "lockstep_gang_size_max_members")
    assert means(registry, *names) == [3, 2, 8]


@pytest.mark.parametrize(
    ("wait", "planned", "want_delay"),
    [
        pytest.param(90, 60, 30, id="later than planned"),
        pytest.param(60, 90, 0, id="earlier than planned"),
        pytest.param(-1, -2, 1, id="a clock that was set back: no wait, and still a delay"),
    ],
)
def test_start_stands_beside_its_first_plan(registry, predictions, wait, planned, want_delay):
    predictions.started(wait=wait, planned_wait=planned, skew=0.0)

    names = ("lockstep_start_wait_seconds", "lockstep_start_wait_planned_seconds", "lockstep_start_delay_seconds")
    assert means(registry, *names) == [max(0, wait), max(0, planned), want_delay]


def test_skew_of_a_start_is_never_negative(registry, predictions):
    predictions.started(wait=1, planned_wait=1, skew=4)
    predictions.started(wait=1, planned_wait=1, skew=-2)

    assert means(registry, "lockstep_start_skew_seconds") == [2]


def test_run_time_and_speed_up_stand_beside_their_predictions(registry, predictions):
    predictions.succeeded(run_time=20, predicted=10, alone=60)

    names = ("lockstep_run_time_seconds", "lockstep_run_time_predicted_seconds", "lockstep_run_time_ratio")
    assert means(registry, *names) == [20, 10, 2]
    assert means(registry, "lockstep_speedup_ratio", "lockstep_speedup_predicted_ratio") == [3, 6]


def test_no_speed_up_is_exported_where_the_time_of_one_member_is_unknown(registry, predictions):
    predictions.succeeded(run_time=20, predicted=10, alone=None)

    assert registry.get_sample_value("lockstep_run_time_seconds_count") == 1
    assert registry.get_sample_value("lockstep_speedup_ratio_count") == 0


def test_run_of_no_measurable_time_is_no_infinite_speed_up(registry, predictions):
    predictions.succeeded(run_time=0, predicted=10, alone=60)

    assert means(registry, "lockstep_speedup_ratio") == [60_000]
