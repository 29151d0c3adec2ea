"""The knapsack is compared with every choice of options."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.resizing.knapsack import FirstItems, SizeOptions, best_options

# Seats and worths of one item; whole numbers, so that sums are exact.
item = st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 9)), min_size=1, max_size=4)


# None, or the number of first items that have a limit of their own, and the seats below all seats that it leaves.
limits = st.none() | st.tuples(st.integers(0, 5), st.integers(0, 12))


@given(items=st.lists(item, max_size=5), seats=st.integers(0, 12), limit=limits)
def test_no_choice_of_options_is_worth_more(items, seats, limit):
    given_options = [
        SizeOptions(np.array([taken for taken, _ in one]), np.array([float(worth) for _, worth in one]))
        for one in items
    ]

    first = limit and FirstItems(min(limit[0], len(items)), min(limit[1], seats))
    chosen = best_options(given_options, seats, first)

    def fits(options):
        count, most = first or (0, seats)
        return sum(taken for taken, _ in options) <= seats and sum(taken for taken, _ in options[:count]) <= most

    fitting = [one for one in product(*items) if fits(one)]
    if chosen is None:
        assert not fitting
        return
    options = [one[option] for one, option in zip(items, chosen, strict=True)]
    assert fits(options)
    assert sum(worth for _, worth in options) == max(sum(worth for _, worth in one) for one in fitting)


@pytest.mark.parametrize("seats", [3, 4, 10])
def test_of_equal_sums_the_earlier_option_is_chosen(seats):
    one = SizeOptions(np.array([2, 1, 2]), np.array([5.0, 5.0, 5.0]))

    assert best_options([one], seats) == (0,)
