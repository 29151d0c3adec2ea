"""When gangs that wait will really start, by what came of earlier ones."""

import random
from dataclasses import replace

import pytest

from builders.facts import gang_fact, start_estimate
from lockstep.belief.run_times.forecasts import Forecasts
from lockstep.belief.state import State
from lockstep.facts.gang.status import ConditionFact, GangStatus

NOW = 1000.0


def learned(*parts):
    forecasts = Forecasts()
    for part in parts:
        forecasts.record("u", created=0.0, planned=100.0, started=100.0 * part)
    return forecasts


def test_plan_is_the_forecast_while_too_few_have_waited():
    assert learned(*[2.0] * 19).of(since=NOW, now=NOW, planned=NOW + 60, promised=NOW + 90) == (NOW + 60, None)


def test_forecast_is_the_middle_of_what_came_of_others_and_what_nine_of_ten_kept_to():
    forecasts = learned(*(number / 10 for number in range(1, 21)))

    # Of twenty parts and the one to come the eleventh is in the middle, and 9 of 10 do not exceed the nineteenth.
    assert forecasts.of(since=NOW, now=NOW, planned=NOW + 100, promised=None) == (NOW + 110, NOW + 190)


def test_forecast_is_never_after_the_promise():
    assert learned(*[3.0] * 20).of(since=NOW, now=NOW, planned=NOW + 100, promised=NOW + 150) == (NOW + 150, NOW + 150)


def test_last_waits_alone_count():
    forecasts = learned(*[9.0] * 50, *[0.5] * 200)

    assert forecasts.of(since=NOW, now=NOW, planned=NOW + 100, promised=None) == (NOW + 50, NOW + 50)


def test_longer_waits_alone_count_for_a_gang_that_has_waited_already():
    forecasts = learned(*(number / 10 for number in range(1, 21)))

    # Of 110 s and more ten waits are known, of which the sixth and the last are asked for.
    forecast = forecasts.of(since=NOW, now=NOW + 105, planned=NOW + 100, promised=None)

    assert forecast == (NOW + 160, NOW + 200)


def test_late_start_is_unknown_where_fewer_than_nine_have_waited_longer():
    forecasts = learned(*(number / 10 for number in range(1, 21)))
    nine, eight = (forecasts.of(since=0.0, now=now, planned=200.0, promised=None) for now in (225.0, 245.0))

    assert (nine, eight) == ((320.0, 400.0), (340.0, None))


def test_plan_is_the_forecast_for_a_gang_that_has_waited_longer_than_all_before():
    assert learned(*[0.5] * 20).of(since=0.0, now=60.0, planned=100.0, promised=150.0) == (100.0, None)


@pytest.mark.parametrize("seed", range(5))
def test_half_of_those_that_still_wait_start_by_the_likely_start_of_that_time(seed):
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    forecasts, met = Forecasts(), []
    for number in range(4000):
        real = 100.0 * rnd.lognormvariate(0.2, 0.8)
        if number >= 200 and real > 100.0:
            forecast = forecasts.of(since=0.0, now=100.0, planned=100.0, promised=None)
            met.append(real <= forecast.likely)
        forecasts.record("u", created=0.0, planned=100.0, started=real)

    assert sum(met) / len(met) == pytest.approx(0.5, abs=0.04)


@pytest.mark.parametrize("seed", range(5))
def test_each_likely_start_that_passes_halves_the_waits_that_count(seed):
    """So a gang gets few of them, however long it waits."""
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    forecasts, starts = learned(*(rnd.lognormvariate(0.2, 0.8) for _ in range(200))), [0.0]
    while (likely := forecasts.of(since=0.0, now=starts[-1], planned=1e6, promised=None).likely) < 1e6:
        starts.append(likely)

    assert starts == sorted(set(starts))
    assert len(starts) - 1 <= 8


@pytest.mark.parametrize(("planned", "started"), [(0.0, 50.0), (0.5, 50.0)])
def test_nothing_is_learned_from_a_gang_that_hardly_had_to_wait(planned, started):
    forecasts = Forecasts()
    for _ in range(40):
        forecasts.record("u", created=0.0, planned=planned, started=started)

    assert forecasts.of(since=NOW, now=NOW, planned=NOW + 60, promised=None).late is None


@pytest.mark.parametrize("seed", range(5))
def test_half_start_by_the_likely_and_nine_of_ten_by_the_late_start(seed):
    """Whatever the distribution is, here with a long tail: as long as the next is like those before."""
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    forecasts, likely, late, count = Forecasts(), 0, 0, 4000
    for number in range(count + 200):
        planned, real = 100.0, 100.0 * rnd.lognormvariate(0.2, 0.8)
        forecast = forecasts.forecast(str(number), since=0.0, now=0.0, planned=planned, promised=None)
        if number >= 200:
            likely += real <= forecast.likely
            late += real <= forecast.late
        forecasts.record(str(number), created=0.0, planned=planned, started=real)

    assert likely / count == pytest.approx(0.5, abs=0.03)
    assert late / count == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("seed", range(5))
def test_nine_of_ten_start_by_the_late_start_also_where_waits_keep_growing(seed):
    """Each wait is 2 % longer for what was planned than the one fifty gangs before, and is known fifty gangs later."""
    rnd = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    forecasts, late, count = Forecasts(), 0, 4000
    reals = [100.0 * 1.0004**number * rnd.lognormvariate(0.0, 0.3) for number in range(count + 500)]
    for number, real in enumerate(reals):
        forecast = forecasts.forecast(str(number), since=0.0, now=0.0, planned=100.0, promised=None)
        if number >= 500:
            late += real <= forecast.late
        if number >= 50:
            forecasts.record(str(number - 50), created=0.0, planned=100.0, started=reals[number - 50])

    assert late / count == pytest.approx(0.9, abs=0.02)


def test_first_late_start_of_a_gang_counts():
    missed, met = (learned(*(number / 10 for number in range(1, 21))) for _ in range(2))
    for forecasts, planned in ((missed, 10.0), (met, 1000.0)):
        for number in range(30):
            for then in (planned, 100.0):
                forecasts.forecast(f"v{number}", since=0.0, now=0.0, planned=then, promised=None)
            forecasts.record(f"v{number}", created=0.0, planned=0.0, started=100.0)
    later, sooner = (one.of(since=0.0, now=0.0, planned=100.0, promised=None).late for one in (missed, met))

    assert (later, sooner) == (200.0, 190.0)


def waited(uid="u", *, placed="True", plan=True, active_since=None):
    conditions = (ConditionFact("Placed", placed, "Bound", "", 1, 0.0),)
    status = GangStatus(
        conditions=conditions, plan=start_estimate(100.0) if plan else None, start=200.0, first_planned_start=100.0
    )
    status = replace(status, active_since=active_since)
    return replace(gang_fact(), uid=uid, created=0.0, status=status)


def late_after(*gangs):
    forecasts = Forecasts()
    for one in gangs:
        forecasts.learn(one)
    return forecasts.of(since=NOW, now=NOW, planned=NOW + 60, promised=None).late


def test_forecasts_are_learned_from_statuses_of_gangs_that_waited():
    assert late_after(*(waited(str(number)) for number in range(20))) == NOW + 120


def test_gang_counts_once_however_often_its_status_is_seen():
    assert late_after(*[waited()] * 50) is None


def test_gang_counts_once_however_many_gangs_run_beside_it():
    # They had to wait for half a second, so nothing is learned from them.
    others = [replace(waited(str(number)), created=99.5) for number in range(2001)]

    assert late_after(*[waited(), *others] * 20) is None


def test_gang_that_is_gone_is_forgotten():
    state = State(lambda: None)
    for _ in range(20):
        state.apply_gang(waited())
        state.remove_gang(waited().key, waited().uid)

    assert state.forecasts.of(since=NOW, now=NOW, planned=NOW + 60, promised=None).late == NOW + 120


@pytest.mark.parametrize("other", [{"placed": "False"}, {"plan": False}, {"active_since": 150.0}])
def test_nothing_is_learned_from_gangs_that_are_not_placed_did_not_wait_or_ran_before(other):
    assert late_after(*(waited(str(number), **other) for number in range(50))) is None
