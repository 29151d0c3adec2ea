"""Sets of ranks as text and as bits."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.facts.ranks import MOST_RANKS, format_ranks, has_rank, parse_ranks, ranks_from

LIMIT = 32_768


@pytest.mark.parametrize(
    ("ranks", "want_text"),
    [
        pytest.param([], "", id="none"),
        pytest.param([0], "0", id="the first"),
        pytest.param([9_999], "9999", id="the last"),
        pytest.param(range(MOST_RANKS), "0-9999", id="all"),
        pytest.param([*range(4096), 4097], "0-4095,4097", id="a run and one more"),
        pytest.param([5, 1, 2], "1-2,5", id="in any order"),
    ],
)
def test_spelling(ranks, want_text):
    assert format_ranks(ranks_from(ranks)) == want_text
    assert parse_ranks(want_text) == ranks_from(ranks)


@given(st.sets(st.integers(0, MOST_RANKS - 1)))
def test_what_is_formatted_is_read(ranks):
    assert parse_ranks(format_ranks(ranks_from(ranks))) == ranks_from(ranks)
    assert all(has_rank(ranks_from(ranks), rank) for rank in ranks)


@pytest.mark.parametrize(
    "ranks",
    [
        pytest.param(range(1, MOST_RANKS, 2), id="every other"),
        pytest.param([rank for rank in range(MOST_RANKS) if rank % 3], id="two of three"),
        pytest.param([rank for rank in range(MOST_RANKS) if (rank + 1) % 3], id="two of three, from the first"),
        pytest.param(random.Random(1).sample(range(MOST_RANKS), 6_000), id="at random"),  # noqa: S311 - no secret
    ],
)
def test_worst_cases_stay_below_the_limit_of_the_field(ranks):
    assert len(format_ranks(ranks_from(ranks))) <= LIMIT


@pytest.mark.parametrize(
    ("text", "want_ranks"),
    [
        pytest.param("9-3", [], id="a range that ends before it begins"),
        pytest.param("9998-99999999", [9_998, 9_999], id="beyond the largest gang"),
        pytest.param("20000", [], id="a rank beyond the largest gang"),
        pytest.param("1,1-2,2", [1, 2], id="twice"),
        pytest.param("what?", [], id="nonsense"),
        pytest.param("0-9999," * 4_000, range(MOST_RANKS), id="everything, again and again"),
    ],
)
def test_nonsense_is_read_without_harm(text, want_ranks):
    assert parse_ranks(text) == ranks_from(want_ranks)
