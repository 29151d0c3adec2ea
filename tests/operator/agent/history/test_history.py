"""Hours of past days: means of five-minute means, whatever the wall clock does."""

import pytest

from lockstep.agent.history.history import KEPT_DAYS, History, HourOfLoad
from lockstep.agent.history.hours import ClockHour

TODAY = 739_943
NINE, TEN = ClockHour(TODAY, 9), ClockHour(TODAY, 10)


def filled(history, when, *losts):
    for lost in losts:
        history.add(when, HourOfLoad(lost, 0.0))


def test_hour_is_the_mean_of_its_five_minutes():
    history = History()
    filled(history, NINE, *[0.5] * 6, *[0.0] * 6)
    assert history.at(NINE) == HourOfLoad(0.25, 0.0), "before the first five minutes of the next hour, too"

    filled(history, TEN, 1.0)

    assert history.at(NINE) == HourOfLoad(0.25, 0.0)
    assert history.at(TEN) is None


@pytest.mark.parametrize(("fives", "want"), [(5, None), (6, HourOfLoad(0.5, 0.0))])
def test_hour_of_which_less_than_half_was_measured_is_not_known(fives, want):
    history = History()
    filled(history, NINE, *[0.5] * fives)
    filled(history, TEN, 1.0)

    assert history.at(NINE) == want


def test_hour_that_comes_again_is_measured_anew():
    history = History()
    for when, lost in ((NINE, 0.2), (TEN, 0.3), (NINE, 0.4), (TEN, 0.5)):
        filled(history, when, *[lost] * 12)

    assert history.at(NINE) == pytest.approx(HourOfLoad(0.4, 0.0))
    assert history.at(TEN) == pytest.approx(HourOfLoad(0.5, 0.0))


def test_wrong_year_for_an_afternoon_costs_that_afternoon():
    history = History()
    for day in range(20):
        filled(history, ClockHour(TODAY - 20 + day, 9), *[0.5] * 12)
    for hour in range(12, 18):
        filled(history, ClockHour(TODAY + 4000, hour), *[0.9] * 12)
    filled(history, NINE, *[0.5] * 12)
    filled(history, TEN, 0.5)

    assert [day for day, _ in history.before(TODAY + 1)] == list(range(TODAY - 20, TODAY + 1))


def test_days_are_bounded():
    history = History()
    for day in range(100):
        filled(history, ClockHour(TODAY + day, 9), *[0.5] * 12)

    assert sorted(history.days) == list(range(TODAY + 99 - KEPT_DAYS, TODAY + 99))
    assert len(history.fives) == 12
