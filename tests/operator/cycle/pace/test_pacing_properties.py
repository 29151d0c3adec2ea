"""What members need to keep up with the slowest: worked examples, and properties over random nodes and containers."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.cycle.pace.pacing import (
    FLOOR,
    PaceOffer,
    differs_enough,
    is_paced,
    node_paces,
    paced_cpu,
    shared_cpu,
    slowest,
    unpaced_cpu,
)
from lockstep.facts.pods.pace import Cpu
from lockstep.facts.pods.pod import LARGEST_AMOUNT

MOST = 8000
duties = st.integers(0, 4000).map(lambda thousandths: Fraction(thousandths, 1000))
capacities = st.integers(100, 8000).map(lambda thousandths: Fraction(thousandths, 1000))
offers = st.lists(st.tuples(duties, capacities), min_size=1, max_size=6)
requests = st.integers(1, 2 * MOST)


@st.composite
def containers(draw):
    request = draw(requests)
    return Cpu(request, draw(st.none() | st.integers(request, 3 * MOST)))


def nodes(offered):
    return {
        f"n{number}": PaceOffer(slowdown=float((1 + duty) / capacity), left=float(1 / (1 + duty)))
        for number, (duty, capacity) in enumerate(offered)
    }


def work_rate(offer, seconds_of_cpu):
    """How much work a member does with so many CPU-seconds a second: that is what a capacity means."""
    return offer[1] * seconds_of_cpu


@pytest.mark.parametrize(
    ("offered", "want"),
    [
        pytest.param([(0, 1), (0, 1)], [(2000, None), (2000, None)], id="equal nodes"),
        pytest.param([(0, 2), (0, 1)], [(1000, 1100), (2000, None)], id="twice as fast"),
        pytest.param([(0, 1), (1, 1)], [(1000, 1100), (2000, None)], id="half of the slowest's time is its owner's"),
        pytest.param([(Fraction(1, 2), 1), (1, 1)], [(1000, 1100), (2000, None)], id="both have local work"),
        pytest.param([(0, Fraction(21, 20)), (0, 1)], [(2000, None), (2000, None)], id="within the margin"),
        pytest.param([(0, 8), (0, 1), (0, 4)], [(250, 275), (2000, None), (500, 550)], id="three kinds"),
    ],
)
def test_worked_examples(offered, want):
    paces, cpu = node_paces(nodes(offered)), Cpu(2000, None)

    given_to = [
        unpaced_cpu(cpu, cpu, most=MOST) if pace.is_slow else paced_cpu(cpu, pace.share, most=MOST, is_guaranteed=False)
        for pace in paces.values()
    ]

    assert given_to == want


@given(offers)
def test_every_member_can_do_as_much_work_as_the_slowest_and_needs_no_less_for_it(offered):
    """By brute force: the rate of work of each node at full speed; who has least of it sets the pace."""
    full = [work_rate(offer, 1 / (1 + offer[0])) for offer in offered]
    paces = node_paces(nodes(offered))

    for offer, pace in zip(offered, paces.values(), strict=True):
        assert work_rate(offer, Fraction(pace.share)) == pytest.approx(float(min(full)))
        assert pace.share <= pace.left
    assert full[int(slowest(nodes(offered))[1:])] == pytest.approx(min(full))


@given(offers)
def test_the_slowest_is_never_paced(offered):
    assert node_paces(nodes(offered))[slowest(nodes(offered))].is_slow


@given(containers(), st.floats(0, 1), st.booleans())
def test_a_paced_container_gets_its_share_and_never_more_than_without(cpu, share, is_guaranteed):
    if is_guaranteed:
        cpu = Cpu(cpu.request, cpu.request)
    base = min(cpu.limit or cpu.request, MOST)

    paced = paced_cpu(cpu, share, most=MOST, is_guaranteed=is_guaranteed)

    assert paced.request <= cpu.request
    assert paced.request <= paced.limit
    assert paced.limit <= (cpu.limit or max(cpu.request + 1, ceil(1.1 * base), FLOOR + 1))
    assert paced.limit >= min(ceil(round(share * base, 6)), cpu.limit or LARGEST_AMOUNT)
    assert paced.request >= min(FLOOR, cpu.request)
    assert (
        (paced.request == paced.limit) if is_guaranteed else (paced.request < paced.limit or cpu.limit == cpu.request)
    )


@given(containers())
def test_share_of_nothing_is_the_floor(cpu):
    paced = paced_cpu(cpu, 0.0, most=MOST, is_guaranteed=False)

    assert paced.request == min(FLOOR, cpu.request)
    assert paced.limit <= FLOOR + 1


@given(containers(), st.floats(0, 1))
def test_pace_is_taken_off_again(cpu, share):
    paced = paced_cpu(cpu, share, most=MOST, is_guaranteed=False)

    back = unpaced_cpu(cpu, paced, most=MOST)

    assert not is_paced(cpu, back)
    assert back.request == cpu.request
    assert back.limit == (max(MOST, cpu.request) if cpu.limit is None else cpu.limit)
    assert unpaced_cpu(cpu, back, most=MOST) == back


@given(containers(), st.floats(0, 1))
def test_a_container_that_shares_requests_what_a_paced_one_does_and_keeps_its_limit(cpu, share):
    shared = shared_cpu(cpu, cpu, share, most=MOST)

    assert shared.request == paced_cpu(cpu, share, most=MOST, is_guaranteed=False).request
    assert shared.limit == cpu.limit
    assert unpaced_cpu(cpu, shared, most=MOST) == cpu


@given(containers(), st.floats(0, 1), st.floats(0, 1))
def test_limit_that_a_pace_has_lowered_or_added_comes_back(cpu, share, before):
    paced = paced_cpu(cpu, before, most=MOST, is_guaranteed=False)

    shared = shared_cpu(cpu, paced, share, most=MOST)

    assert shared.limit == unpaced_cpu(cpu, paced, most=MOST).limit
    assert shared.request <= shared.limit


@given(offers, containers(), offers)
def test_resizing_once_is_enough_to_share(offered, cpu, later):
    now = cpu
    for paces in (node_paces(nodes(one), keeps_limits=True) for one in (offered, later)):
        pace = paces["n0"]
        wanted = unpaced_cpu(cpu, now, most=MOST) if pace.is_slow else shared_cpu(cpu, now, pace.share, most=MOST)
        if differs_enough(cpu, now, wanted, pace, most=MOST):
            now = wanted
        assert not differs_enough(cpu, now, wanted, pace, most=MOST)
        assert now.limit == cpu.limit
        assert abs(wanted.request - now.request) <= 0.1 * now.request


@given(offers, containers(), offers)
def test_resizing_once_is_enough(offered, cpu, later):
    """What was done is no change, for the same bids; and a member that keeps what it has lacks nothing."""
    now = cpu
    for paces in (node_paces(nodes(offered)), node_paces(nodes(later))):
        pace = paces["n0"]
        base = min(cpu.limit or cpu.request, MOST)
        wanted = unpaced_cpu(cpu, now, most=MOST)
        if not pace.is_slow:
            wanted = paced_cpu(cpu, pace.share, most=MOST, is_guaranteed=False)
        if differs_enough(cpu, now, wanted, pace, most=MOST):
            now = wanted
        needed = pace.share * base
        assert now.limit is None or now.limit >= min(needed, cpu.limit or needed) - 1e-6


@given(st.lists(st.tuples(st.sampled_from([0, 1000]), st.sampled_from([Fraction(1, 1000), 1000])), min_size=1))
def test_the_largest_and_smallest_numbers_of_a_bid_are_numbers_as_others(offered):
    for pace in node_paces(nodes(offered)).values():
        paced = paced_cpu(Cpu(LARGEST_AMOUNT, None), pace.share, most=LARGEST_AMOUNT, is_guaranteed=False)
        assert FLOOR <= paced.request < paced.limit


def test_no_member_is_paced_without_offers():
    assert node_paces({}) == {}
    assert slowest({}) is None
