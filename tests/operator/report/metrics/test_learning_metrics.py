"""What was learned from runs, as numbers of all templates together."""

import pytest
from prometheus_client import CollectorRegistry

from builders.facts import DEFAULT, gang_fact, gang_spec
from coschedule import SerialWork
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.cycle.placed.run_time_learning import RunObservation, record_observation
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import MOST_RUNS, Template, run_of
from lockstep.report.metrics.learning_metrics import LearningMetrics

STATED = SerialWork(serial=400.0)
HEAT = Template(DEFAULT, "0" * 32)


@pytest.fixture
def registry():
    return CollectorRegistry()


@pytest.fixture
def metrics(registry):
    return LearningMetrics(registry)


def run(size, seconds, kind="", stated=STATED):
    return run_of(seconds / stated.float_times(size)[-1], members=size, slowdown=1.0, seconds=seconds, kind=kind)


def learning(*runs, work=STATED):
    """Runs that were learned from, and judged for a gang that wants their law."""
    past = PastRuns(lambda: None)
    for one in runs:
        past.learn(HEAT, one)
    past.put_in_force()
    past.in_force(gang_fact("g", spec=gang_spec(work=work, run_template=HEAT.digest, learns=True)))
    return past


def remembered(registry, metrics, past):
    """Templates, runs, templates with a law and with kinds."""
    metrics.refresh(past)
    names = ("run_time_templates", "remembered_runs", "learned_laws", "learned_kinds")
    return [registry.get_sample_value(f"lockstep_{name}") for name in names]


def test_nothing_is_learned_at_first(registry, metrics):
    assert remembered(registry, metrics, PastRuns(lambda: None)) == [0, 0, 0, 0]


def test_law_that_is_better_counts(registry, metrics):
    past = learning(*[run(size, 200 / size + 50) for size in (1, 2, 4, 8)] * 2)

    assert remembered(registry, metrics, past) == [1, 8, 1, 0]


def test_law_that_no_gang_wants_or_that_is_no_better_does_not_count(registry, metrics):
    past = learning(*[run(size, 400 / size) for size in (1, 2, 4, 8)] * 2)
    assert remembered(registry, metrics, past) == [1, 8, 0, 0]

    unasked = PastRuns(lambda: None)
    for size in (1, 2, 4, 8) * 2:
        unasked.learn(HEAT, run(size, 200 / size + 50))
    unasked.put_in_force()
    assert remembered(registry, metrics, unasked) == [1, 8, 0, 0]


def test_factors_for_kinds_of_nodes_count(registry, metrics):
    past = learning(*[run(1, 400, "usual")] * 5, *[run(1, 800, "slow")] * 3)

    assert remembered(registry, metrics, past) == [1, 8, 0, 1]


def test_run_is_compared_with_what_was_learned_and_with_what_is_stated(registry, metrics):
    planned = gang_fact("g", status=GangStatus(run_time_factor="2"))
    record_observation(metrics, planned, RunObservation(HEAT, run_of(2.5)), gained=1)
    record_observation(metrics, planned, RunObservation(HEAT, run_of(1.6)), gained=1)

    # 1.25 times as long as learned, then as much less; 2.5 and 1.6 times as long as stated.
    assert errors(registry, "learned") == (2, pytest.approx(0.5))
    assert errors(registry, "stated") == (2, pytest.approx(2.1))


def test_run_that_was_planned_as_stated_says_nothing_of_what_is_learned(registry, metrics):
    record_observation(metrics, gang_fact("g"), RunObservation(HEAT, run_of(2.5)), gained=1)

    assert errors(registry, "learned") == errors(registry, "stated") == (0, 0)
    assert runs(registry) == {"kept": 1, "not_comparable": 0, "dropped": 0}


def test_runs_without_anything_to_learn_and_runs_that_make_room_are_counted(registry, metrics):
    record_observation(metrics, gang_fact("g"), RunObservation(HEAT, None), gained=0)
    record_observation(metrics, gang_fact("g"), None, gained=0)
    past = learning(*[run_of(1.0)] * MOST_RUNS)
    before = past.run_count
    past.learn(HEAT, run_of(2.0))
    record_observation(metrics, gang_fact("g"), RunObservation(HEAT, run_of(2.0)), gained=past.run_count - before)

    assert runs(registry) == {"kept": 1, "not_comparable": 1, "dropped": 1}


def errors(registry, source):
    """How many runs were compared, and the sum of their errors."""
    name = "lockstep_learned_run_time_error_ratio"
    count, total = (registry.get_sample_value(f"{name}_{part}", {"source": source}) for part in ("count", "sum"))
    return count, total


def runs(registry):
    value = registry.get_sample_value
    finished = {name: value("lockstep_finished_runs_total", {"result": name}) for name in ("kept", "not_comparable")}
    return finished | {"dropped": value("lockstep_dropped_runs_total")}
