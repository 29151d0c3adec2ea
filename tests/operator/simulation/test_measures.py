"""Figures worked out by hand."""

import math

import numpy as np
import pytest

from lockstep.simulation.averages import average, ratio
from lockstep.simulation.machine import Ran
from lockstep.simulation.measures import measured
from lockstep.simulation.model.jobs import Arrival, Job
from lockstep.simulation.model.promises import PromiseHistory


def ran(number, start, end, *, submitted=0, seconds=None, user=None, promises=None, size=1):
    """Describe a run of a job that, with its rigid size of one member, takes as long by default."""
    times = np.array([float(seconds or (end - start))])
    job = Job(number=number, submitted=submitted, size=1, least=1, most=1, times=times)
    return Ran(Arrival(job, 1.0, user), list(range(size)), start, end, promises)


def promises(likely, promised, *, earliest=None, moved_later=0):
    return PromiseHistory(likely, promised, earliest or promised, promised, moved_later)


def test_waits_turnarounds_and_slowdowns():
    measures = measured([ran(1, 0, 100), ran(2, 100, 120), ran(3, 120, 121)], 2)

    assert measures.mean_wait == pytest.approx(220 / 3)
    assert measures.mean_turnaround == pytest.approx(341 / 3)
    # The third runs for a second, which counts as ten.
    assert measures.mean_slowdown == pytest.approx((1 + 6 + 12.1) / 3)
    assert measures.utilisation == 0.5


def test_fairness_is_jains_index_of_the_users_mean_slowdowns():
    # Users have mean slow-downs of 1 and 3; the user of the last job is unknown.
    runs = [ran(1, 0, 10, user=7), ran(2, 10, 20, user=8), ran(3, 30, 40, user=8), ran(4, 900, 910)]

    assert measured(runs, 1).fairness == pytest.approx((1 + 3) ** 2 / (2 * (1 + 9)))
    assert math.isnan(measured(runs[3:], 1).fairness)


def test_quarters_by_rigid_work():
    runs = [ran(number, number, number + number * 10.0, seconds=number * 10.0) for number in (4, 3, 2, 1)]

    measures = measured(runs, 1)

    assert (measures.small_turnaround, measures.huge_turnaround) == (11, 44)
    assert measures.medium_slowdown == pytest.approx(1.1)


def test_promises_count_against_the_earliest_one():
    runs = [
        ran(1, 10, 20, promises=promises(10, 30)),
        ran(2, 20, 30, promises=promises(25, 40, earliest=15, moved_later=2)),
        ran(3, 40, 50, promises=promises(20, 40, moved_later=1)),
        ran(4, 0, 10),
    ]

    measures = measured(runs, 1)

    assert measures.told == 0.75
    assert measures.promises_kept == pytest.approx(2 / 3)
    assert measures.broken_by_owners == 0
    assert measures.promises_moved_later == 3
    assert measures.promised_over_real_wait == 2.0
    assert measures.started_by_likely == pytest.approx(2 / 3)
    assert measures.likely_error_median == 0.25
    assert measures.likely_error_p90 == pytest.approx(0.45)


def test_nothing_is_known_of_promises_where_there_were_none():
    measures = measured([ran(1, 5, 10)], 1)

    assert math.isnan(measures.told)
    assert math.isnan(measures.promises_kept)


def test_average_has_the_interval_of_students_distribution():
    mean, error = average([1.0, 2.0, math.nan, 3.0])

    assert (mean, error) == pytest.approx((2.0, 4.303 / math.sqrt(3)))
    assert average([1.0] * 99) == (1.0, 0.0)
    assert average([5.0]).formatted(1) == "5.0"
    assert average([math.nan]).formatted(1) == "-"


def test_ratio_is_the_mean_of_the_ratios_of_each_seed():
    # Together they would have 4 of 6.
    assert ratio([1.0, 3.0, 9.0], [2.0, 4.0, 0.0]).mean == pytest.approx((1 / 2 + 3 / 4) / 2)
