"""How fast a gang is at sizes that were not measured, by those that were."""

import math

import numpy as np
import pytest

from coschedule.resizing.unit_times import UnitTime, check_unit_times, relative_speeds


def speeds(unit_times, *sizes, present, others=0):
    measured = [UnitTime(*one) for one in unit_times]
    return relative_speeds(measured, np.array(sizes), present=present, others=others).tolist()


@pytest.mark.parametrize(
    ("unit_times", "present", "size", "want"),
    [
        pytest.param([(4, 100), (8, 50)], 4, 8, 2.0, id="measured"),
        pytest.param([(4, 100), (8, 50)], 8, 4, 0.5, id="measured, from the larger one"),
        pytest.param([(4, 100), (16, 50)], 4, 8, math.sqrt(2), id="between two measured sizes"),
        pytest.param([(4, 100), (8, 50)], 8, 16, 2.0, id="above all measured sizes, as between the last two"),
        pytest.param([(2, 100), (4, 50), (8, 50)], 8, 16, 1.0, id="above all, where the last step gained nothing"),
        pytest.param([(4, 100), (8, 100), (16, 50)], 8, 2, 1.0, id="below all, as between the first two"),
        pytest.param([(4, 50), (8, 100)], 8, 4, 2.0, id="slower with more members"),
        pytest.param([(4, 100)], 4, 8, 2**0.7, id="one measured size: the usual power"),
        pytest.param([(4, 100), (8, 50)], 6, 12, 2**0.7, id="the present size is not measured: the usual power"),
        pytest.param([], 4, 2, 0.5**0.7, id="nothing is measured: the usual power"),
        pytest.param([(4, 1000), (8, 1)], 4, 8, 2.0, id="no size is more than proportionally faster"),
        pytest.param([(4, 1), (8, 1000)], 4, 8, 0.5, id="no size is more than proportionally slower"),
    ],
)
def test_speed_of_a_size_follows_from_measured_ones(unit_times, present, size, want):
    assert speeds(unit_times, size, present=present) == pytest.approx([want])


def test_members_whose_number_never_changes_count_as_members():
    [want] = speeds([(6, 100), (12, 60)], 9, present=6)

    assert speeds([(4, 100), (10, 60)], 7, present=4, others=2) == pytest.approx([want])


def test_present_size_is_as_fast_as_it_is():
    assert speeds([(2, 70), (4, 30), (8, 20)], 4, present=4) == [1.0]


@pytest.mark.parametrize(
    "unit_times",
    [
        pytest.param([(4, 100), (4, 50)], id="two of one size"),
        pytest.param([(4, 0)], id="none at all"),
        pytest.param([(4, math.inf)], id="never ending"),
        pytest.param([(0, 100)], id="without members"),
    ],
)
def test_unit_times_that_none_can_have_are_refused(unit_times):
    with pytest.raises(ValueError, match="unit time"):
        check_unit_times([UnitTime(*one) for one in unit_times])
