"""The part of the work that is done when a gang changes its size."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec
from coschedule import SerialWork
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.belief.run_times.work_done import has_used_up_its_work, work_done
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.status import GangStatus

ELASTIC = ElasticSpec(restart_time=100.0, min_interval=600.0)
RUNS = GangStatus(attempt=1, start=1000.0, started_at=1010.0, expected_finish=5000.0)


def done(now, elastic=ELASTIC, **status):
    spec = replace(gang_spec(size=1, most=4, work=SerialWork(serial=1000)), elastic=elastic)
    return work_done(gang_fact(spec=spec, status=replace(RUNS, **status)), now)


@pytest.mark.parametrize(("now", "want"), [(900.0, "0"), (1000.0, "0"), (2000.0, "0.25"), (4000.0, "0.75")])
def test_part_follows_from_the_expected_run_time(now, want):
    assert done(now) == want


def test_earlier_sizes_count_too():
    assert done(3000.0, work_done="0.4") == "0.7"


def test_what_members_report_counts_in_the_place_of_what_is_expected():
    assert done(3000.0, work_done="0.4", progress="0.8") == "0.9"


def test_no_work_is_done_in_the_restart_time_after_a_change():
    assert done(1100.0, resized_at=1000.0) == "0"
    assert done(3050.0, resized_at=1000.0) == "0.5"


def test_work_that_a_change_lost_is_done_again_first():
    loses = ELASTIC._replace(lost=900.0)

    assert done(2000.0, loses, resized_at=1000.0) == "0"
    assert done(3500.0, loses, resized_at=1000.0) == "0.5"


def test_change_before_the_present_attempt_costs_it_no_restart_time():
    assert done(3000.0, resized_at=900.0) == "0.5"


@pytest.mark.parametrize(
    ("now", "status", "want"),
    [
        pytest.param(4999.0, {}, False, id="before its expected end"),
        pytest.param(5000.0, {}, True, id="from its expected end on"),
        pytest.param(5000.0, {"progress": "0.5"}, False, id="where it reports progress"),
        pytest.param(2000.0, {"work_done": "0.5"}, False, id="when an earlier size did a part"),
        pytest.param(2000.0, {"work_done": done(9000.0)}, True, id="when an earlier size did all"),
        pytest.param(9000.0, {"expected_finish": None}, False, id="without work"),
    ],
)
def test_work_is_used_up_once_the_gang_overruns(now, status, want):
    assert has_used_up_its_work(gang_fact(status=replace(RUNS, **status)), now) == want


def test_gang_that_overruns_has_something_left_to_do():
    assert float(done(9000.0)) == pytest.approx(1 - 1 / 1024, abs=1e-6)


@pytest.mark.parametrize("lacking", ["start", "started_at", "expected_finish"])
def test_nothing_is_added_where_nothing_is_known(lacking):
    assert done(3000.0, work_done="0.4", **{lacking: None}) == "0.4"


def test_rest_is_planned_without_what_is_done():
    gang = gang_fact(spec=gang_spec(work=SerialWork(serial=1000)), status=GangStatus(work_done="0.75"))

    assert remaining_work(gang) == SerialWork(serial=250)
