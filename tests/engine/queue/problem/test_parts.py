"""A member's part of the work: one value, written and read in one form."""

import pytest

from coschedule.queue.problem.parts import Pieces, Share, decode_part, encode_part


@pytest.mark.parametrize(
    ("part", "want"),
    [
        pytest.param(Share(0.25), {"share": 0.25}, id="a share"),
        pytest.param(Pieces(3), {"pieces": 3}, id="pieces"),
        pytest.param(None, {}, id="as much as every other member"),
    ],
)
def test_part_is_written_and_comes_back(part, want):
    assert encode_part(part) == want
    assert decode_part(want) == part


def test_share_may_be_a_decimal_in_a_string():
    assert decode_part({"share": "0.285714285714"}) == Share(0.285714285714)


def test_other_fields_are_ignored():
    assert decode_part({"node": "n1", "count": 2, "pieces": 7}) == Pieces(7)
    assert decode_part({"node": "n1", "count": 2}) is None
