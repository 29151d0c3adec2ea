"""How the run time falls with the size, as a GangJob states it."""

import numpy as np
import pytest

from builders.served import gang
from coschedule import SerialWork
from lockstep.api.gangjob.gangjob import parse_gang


def work_of(work):
    return parse_gang(gang("g", size=1, most=16, spec={"work": work}), None).spec.work


def test_serial_work():
    work = work_of({"serialTime": "10h", "overhead": {"fixed": "5s", "perMember": "200ms", "perLogMember": "1m"}})

    assert work == SerialWork(serial=36000, fixed=5, per_member=0.2, per_log_member=60)


def test_overhead_is_optional():
    assert work_of({"serialTime": "1m"}) == SerialWork(serial=60, fixed=0, per_member=0, per_log_member=0)


def profile(**times):
    return {"profile": [{"members": int(members[1:]), "time": time} for members, time in times.items()]}


def test_measured_sizes_have_their_measured_times():
    work = work_of(profile(p2="50m", p16="10m", p4="30m"))

    assert [work.float_time(size) for size in (2, 4, 16)] == pytest.approx([3000, 1800, 600])


def test_times_between_measured_sizes_follow_amdahl():
    # T(P) = 10 s + 100 s / P, so that P · T(P) is straight.
    times = work_of(profile(p1="110s", p10="20s")).float_times(10)

    assert times == pytest.approx([10 + 100 / size for size in range(1, 11)])


def test_each_gap_between_measured_sizes_has_a_line_of_its_own():
    times = work_of(profile(p1="100s", p3="40s", p5="30s")).float_times(5)

    assert times == pytest.approx([100, (100 + 120) / 2 / 2, 40, (120 + 150) / 2 / 4, 30])


def test_sizes_outside_the_measured_ones_are_not_allowed():
    times = work_of(profile(p2="50m", p4="30m")).float_times(5)

    assert np.isfinite(times).tolist() == [False, True, True, True, False]


def test_order_of_the_profile_does_not_matter():
    assert work_of(profile(p2="50m", p4="30m")) == work_of(profile(p4="30m", p2="50m"))
