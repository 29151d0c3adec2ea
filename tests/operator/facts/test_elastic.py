"""What a change of size is expected to take."""

import pytest

from coschedule import ChangeTerms
from lockstep.facts.elastic import ElasticSpec, LastChange


@pytest.mark.parametrize(
    ("last", "want"),
    [
        pytest.param(None, 120, id="none was made"),
        pytest.param(LastChange(1000.0), 120, id="the first one goes on"),
        pytest.param(LastChange(1000.0, 30), 120, id="a short one: the program's own time is not seen"),
        pytest.param(LastChange(1000.0, 300), 300, id="a long one"),
        pytest.param(LastChange(1000.0, 86_400), 480, id="one that was held up"),
    ],
)
def test_change_is_expected_to_take_as_long_as_the_last_one_within_bounds(last, want):
    assert ElasticSpec(120.0, 600.0).terms(last) == ChangeTerms(want, 600.0)


def test_what_a_gang_loses_by_a_change_counts_beside_what_the_change_takes():
    spec = ElasticSpec(120.0, 600.0, lost=900.0)
    rests = ElasticSpec(120.0, 86_400.0, lost=900.0)

    assert rests.terms(None) == ChangeTerms(120.0 + 900.0, 86_400.0, 900.0)
    assert spec.terms(None) == ChangeTerms(120.0 + 900.0, 9000.0, 900.0)
    assert spec.terms(LastChange(1000.0, 86_400)) == ChangeTerms(480.0 + 900.0, 9000.0, 900.0)
