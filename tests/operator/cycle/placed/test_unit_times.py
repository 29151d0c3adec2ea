"""How fast a gang works at its size is measured from what its members report; nothing else that they do spoils it."""

from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec
from coschedule import SerialWork, UnitTime
from lockstep.cycle.placed.unit_times import ObservedUnitTimes, is_measured
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.status import GangStatus
from lockstep.report.status.attempt_marks import with_unit_time

ELASTIC = ElasticSpec(restart_time=120.0, min_interval=600.0)
START = 5000.0


def gang(*, attempt=1, member_changes=0, uid="u", elastic=ELASTIC, work=None):
    spec = replace(gang_spec(work=work), elastic=elastic)
    status = GangStatus(attempt=attempt, member_changes=member_changes)
    return replace(gang_fact("g", spec=spec, status=status), uid=uid)


def seen(*reports, size=4, first=None, **facts):
    """What is measured after reports of (seconds since the start, part of the work)."""
    observed = first or ObservedUnitTimes()
    for seconds, part in reports:
        observed.record(gang(**facts), size, part if isinstance(part, str) else f"{part:.6f}", START + seconds)
    return observed


def measured(*reports, **facts):
    return seen(*reports, **facts).measured(gang().key)


def steady(*, count=9, every=60, gains=0.01, since=0, at=0.0):
    """Reports of a program that does so much in so many seconds."""
    return [(since + every * number, at + gains * number) for number in range(count)]


def test_unit_time_is_the_seconds_that_all_of_the_work_would_take():
    assert measured(*steady()) == UnitTime(4, 6000.0)


IN_BURSTS = [
    one for number in range(9) for one in ((60 * number, number / 100), (60 * number + 1, number / 100 + 0.001))
]
OFTEN_BACK = [one for number in range(5) for one in steady(count=3, since=180 * number)] + steady(count=2, since=900)


@pytest.mark.parametrize("count", range(5))
def test_speed_is_unknown_until_it_was_measured_three_times(count):
    assert measured(*steady(count=count)) is None
    assert measured(*steady(count=5)) == UnitTime(4, 6000.0)


@pytest.mark.parametrize(
    ("reports", "want"),
    [
        pytest.param([(0, 0.0), *steady(since=1, at=0.5)], 6000.0, id="it has gone on from a checkpoint"),
        pytest.param([*steady(count=5), *steady(count=6, since=300, at=0.01)], 6000.0, id="it went back to one"),
        pytest.param([*steady(count=4), (240, 0.9), *steady(count=3, since=300, at=0.91)], 6000.0, id="it jumped once"),
        pytest.param(steady(count=60, every=7, gains=0.001), 7000.0, id="it reports often"),
        pytest.param(steady(count=6, every=900, gains=0.2), 4500.0, id="it reports rarely"),
        pytest.param([(60 * number, "") for number in range(9)], None, id="it reports nothing"),
        pytest.param([(60 * number, 0.3) for number in range(9)], None, id="it gets nowhere"),
        pytest.param(IN_BURSTS, 6000.0, id="it reports in bursts"),
        pytest.param(OFTEN_BACK, 6000.0, id="it goes back again and again"),
        pytest.param([*steady(), *steady(since=600, gains=0.02, at=0.2)], 3000.0, id="it is faster since"),
    ],
)
def test_unit_time_is_that_of_steady_progress(reports, want):
    found = measured(*reports)

    assert (None if found is None else found.seconds) == want


@pytest.mark.parametrize(
    "then",
    [
        pytest.param({"attempt": 2}, id="another attempt"),
        pytest.param({"uid": "v"}, id="another gang of that name"),
        pytest.param({"member_changes": 1}, id="members have come or gone"),
        pytest.param({"size": 8}, id="another size"),
    ],
)
def test_what_other_members_did_counts_no_more(then):
    before = seen(*steady())

    assert measured(*steady(count=4, since=600, at=0.3), first=before, **then) is None
    assert measured(*steady(count=2, since=840, at=0.34), first=before, **then).seconds == 6000.0


@pytest.mark.parametrize(
    ("facts", "want"),
    [
        pytest.param({}, True, id="elastic, without work"),
        pytest.param({"elastic": None}, False, id="keeps its size"),
        pytest.param({"work": SerialWork(serial=100)}, False, id="has work"),
    ],
)
def test_gang_is_measured_only_if_it_is(facts, want):
    assert is_measured(gang(**facts)) == want


def test_gang_whose_attempt_has_ended_is_forgotten():
    observed = seen(*steady())

    observed.forget(gang().key)

    assert observed.measured(gang().key) is None


def test_unit_time_is_one_that_the_api_takes():
    slow = [(10**6 * number, f"0.00000000{number}") for number in range(9)]

    assert measured(*slow).seconds == 2**31 - 1
    assert measured(*steady(gains=0.1)).seconds == 600


def test_status_has_the_newest_unit_time_of_each_size_and_no_more_than_twenty():
    status = GangStatus()
    for size in (*range(1, 24), 5):
        status = with_unit_time(status, UnitTime(size, 1000.0 + size))
    status = with_unit_time(status, UnitTime(5, 77.0))

    sizes = [one.size for one in status.unit_times]
    assert sizes == [4, *range(6, 24), 5]
    assert status.unit_times[-1].seconds == 77.0
    assert with_unit_time(status, None) is status
    assert with_unit_time(status, UnitTime(5, 77.0)) is status
