"""What runs tell, in words."""

import pytest

from lockstep.api.quantities import duration_seconds
from lockstep.report.learned import go_duration, missed, with_sizes


@pytest.mark.parametrize(
    ("seconds", "want"),
    [
        (0, "0s"), (0.0004, "0s"), (0.001, "0.001s"), (0.0123, "0.012s"), (0.73, "0.73s"), (2.2014, "2.201s"),
        (12.724, "12.72s"), (504.44, "504.4s"), (600, "600s"), (5999.6, "6000s"), (10_000, "2.778h"), (36_000, "10h"),
        (1e9, "277778h"),
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
    [(0.0123, "1.2 %"), (0.24, "24 %"), (1e9, "more than 1000 %"), (float("inf"), "more than 1000 %")],
)
def test_error_is_told_in_percent(error, want):
    assert missed(error) == want
