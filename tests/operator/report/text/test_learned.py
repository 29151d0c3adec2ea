"""What runs show, in words."""

import pytest

from builders.facts import DEFAULT, gang_fact, gang_spec
from coschedule import SerialWork
from lockstep.api.quantities import duration_seconds
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.facts.past_runs import Template, run_of
from lockstep.report.text.learned import error_percentage, go_duration, with_sizes, work_used

HEAT = "0" * 32


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (0, "0s"), (0.0004, "0s"), (0.001, "0.001s"), (0.0123, "0.012s"), (0.73, "0.73s"), (2.2014, "2.201s"),
        (12.724, "12.72s"), (504.44, "504.4s"), (10_000, "2.778h"), (36_000, "10h"), (1e9, "277778h"),
        (59.9996, "1m"), (60, "1m"), (90, "90s"), (660, "11m"), (660.4, "660.4s"), (3600, "1h"),
        (5400, "1h30m"), (5999.6, "1h40m"),
    ],
)  # fmt: skip
def test_duration_is_one_that_a_spec_can_have(seconds, want):
    assert go_duration(seconds) == want
    assert duration_seconds(want) == pytest.approx(seconds, rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("sizes", "want"),
    [
        ((1,), "with 1 member"),
        ((4,), "with 4 members"),
        ((2, 4), "with 2 and 4 members"),
        ((1, 2, 4, 8), "with 1, 2, 4 and 8 members"),
        (tuple(range(1, 51)), "with 50 sizes from 1 to 50 members"),
    ],
)
def test_sizes_are_listed_or_counted(sizes, want):
    assert with_sizes(sizes) == want


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (0.0, "0 %"),
        (1e-9, "less than 0.01 %"),
        (0.0123, "1.2 %"),
        (0.24, "24 %"),
        (1e9, "more than 1000 %"),
        (float("inf"), "more than 1000 %"),
    ],
)
def test_error_is_given_in_percent(error, want):
    assert error_percentage(error) == want


def work_used_after(runs):
    past = PastRuns(lambda: None)
    for one in runs:
        past.learn(Template(DEFAULT, HEAT), one)
    past.put_in_force()
    gang = gang_fact("g", spec=gang_spec(work=SerialWork(serial=100.0), run_template=HEAT, learns=True))
    return work_used(gang, past.in_force(gang))


def run(size, seconds, kind):
    return run_of(seconds * size / 100, members=size, slowdown=1.0, seconds=seconds, kind=kind)


def test_kinds_of_nodes_are_named_where_they_are_planned_with():
    found = work_used_after([run(1, 100, "m5.large")] * 4 + [run(1, 200, "gpu")] * 3)

    assert found.message.endswith(
        "; runs take 2 times as long as usual on gpu (3 runs), 1 times as long on m5.large (4 runs): with kinds of "
        "nodes, forecasts are off by 0 %, and without by 64 %."
    )


def test_longest_message_has_its_place_in_the_status():
    kinds = [f"{number:0>63}" for number in range(16)]
    runs = [run(9_000 + at, 1e-3 * 10**number, kind) for number, kind in enumerate(kinds) for at in range(3)]

    assert 200 < len(work_used_after(runs).message) <= 512
