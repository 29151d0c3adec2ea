"""Pieces that are dealt beforehand and while they run: exact cases by hand, bounds, and what a lost member costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.simulation.sweeps.dealing import DealtWork, MemberLoss
from lockstep.simulation.sweeps.dealing_comparison import DealingComparison

speeds = st.lists(st.floats(0.2, 5.0), min_size=2, max_size=6)


def work(pieces, stated, real=None, loss=None):
    return DealtWork(pieces=pieces, stated=stated, real=real or stated, loss=loss)


def test_beforehand_the_speeds_of_bids_decide():
    """Bids say 1 and 1, so each has 3 of 6 pieces; the one of speed 0.5 needs 6 s."""
    assert work(6, [1.0, 1.0], [1.0, 0.5]).beforehand() == 6.0
    assert work(6, [1.0, 1.0], [1.0, 0.5]).while_running() == 4.0


def test_member_that_is_lost_costs_all_pieces_beforehand_and_its_own_while_running():
    """Member 1 is lost after 2 s. The next attempt does 6 pieces in 6 s; else member 0 does 6 in all, one by one."""
    lost = work(6, [1.0, 1.0], loss=MemberLoss(1, 2.5))

    assert lost.beforehand() == 8.5
    assert lost.while_running() < lost.beforehand()


def test_member_that_waits_takes_up_the_pieces_of_one_that_is_lost():
    """Each has one of two pieces, and member 0 is idle from 1 s on; it does the other one once that is given back."""
    assert work(2, [1.0, 1.0], [1.0, 0.1], MemberLoss(1, 5.0)).while_running() == 6.0


def test_loss_after_the_end_costs_nothing():
    late = work(6, [1.0, 2.0], loss=MemberLoss(0, 100.0))

    assert late.beforehand() == work(6, [1.0, 2.0]).beforehand()
    assert late.while_running() == work(6, [1.0, 2.0]).while_running()


@given(st.integers(1, 60), speeds, st.data())
def test_no_way_ends_before_all_nodes_together_could_or_after_the_slowest_alone(pieces, stated, data):
    real = data.draw(st.lists(st.floats(0.2, 5.0), min_size=len(stated), max_size=len(stated)))
    member = data.draw(st.integers(0, len(stated) - 1))
    loss = data.draw(st.one_of(st.none(), st.builds(MemberLoss, st.just(member), st.floats(0.1, 50.0))))
    one = work(pieces, stated, real, loss)

    alone = pieces / min(real) + (loss.time if loss else 0.0)
    for end in (one.beforehand(), one.while_running()):
        assert pieces / sum(real) - 1e-9 <= end <= alone + 1e-9


@given(st.integers(1, 60), speeds)
def test_with_exact_bids_no_deal_is_better_than_beforehand(pieces, stated):
    assert work(pieces, stated).beforehand() <= work(pieces, stated).while_running() + 1e-9


def ratios(off, *, is_lost=False):
    comparison = DealingComparison(
        pieces=96, piece_time=300.0, speeds=[1.0] * 4 + [1.5] * 4 + [2.0] * 4, is_lost=is_lost
    )
    ends = [comparison.ends(off, seed) for seed in range(60)]
    return np.array([one.beforehand / one.while_running for one in ends])


@pytest.mark.parametrize(("off", "want"), [(0.1, 1.09), (0.2, 1.27), (0.3, 1.52)])
def test_dealing_while_running_is_worth_what_was_measured(off, want):
    assert ratios(off).mean() == pytest.approx(want, abs=0.06)


def test_dealing_is_worth_more_where_a_member_is_lost():
    assert ratios(0.2, is_lost=True).mean() > ratios(0.2).mean()
