"""The fewest processors for a turn-around: examples of [S] 4.2, erratum 4, exhaustive search, pools, rounding."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.pieces.apportion import apportion
from coschedule.problems.al_saqabi.compress import Compression, Pool, compress, compress_pools
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from coschedule.requests.refusal_answers import sentence_of
from engine.brute.pieces import fewest_processors, last_done, least_turnaround
from engine.builders import seeded
from engine.problems.al_saqabi.printed import printed_compression, printed_mtat

sixths = st.integers(1, 72).map(lambda number: Fraction(number, 6))


speeds_of_processors = st.lists(sixths, min_size=1, max_size=9)


@pytest.mark.parametrize(
    ("pieces", "speeds", "turnaround", "want_counts"),
    [
        pytest.param(4, [1, 1, 1], 2, [2, 2, 0], id="example 2, figure 3, pages 13-14"),
        pytest.param(9, [4, 2, 1], Fraction(3, 2), [6, 3, 0], id="example 3, figure 4-b, page 17"),
        pytest.param(6, [1] * 5, 2, [2, 2, 2, 0, 0], id="J1 of figure 1 after P1 has left, section 3, page 7"),
        pytest.param(5, [1, 3, 3], 1, [0, 3, 2], id="the last one takes what remains"),
        pytest.param(3, [0.1], 30.0, [3], id="3 / 0.1 is 30, whatever 30 * 0.1 is"),
    ],
)
def test_examples(pieces, speeds, turnaround, want_counts):
    """[S] 4.2."""
    found = compress(pieces, speeds, turnaround)

    assert found.counts.tolist() == want_counts
    assert found.processors.tolist() == [index for index, count in enumerate(want_counts) if count]


def test_theorem_3_is_wrong():
    """[S] 4.2, pages 15-16, erratum 4: X = 3, a = {5, 3, 1}: one processor keeps the printed turn-around."""
    counts, turnaround = printed_mtat(3, [5, 3, 1])

    assert len(printed_compression(3, [5, 3, 1], counts, turnaround)) == 2
    assert compress(3, [5, 3, 1], turnaround).counts.tolist() == [3, 0, 0]


def test_theorem_4_is_wrong():
    """[S] 4.2, page 17, erratum 4: pools compressed to their own turn-around keep processors that the job's spares."""
    pools = [Pool(pieces=4, speeds=[1]), Pool(pieces=4, speeds=[1, 1, 1, 1])]
    own = [compress(pool.pieces, pool.speeds, apportion(pool.pieces, pool.speeds).turnaround) for pool in pools]

    found = compress_pools(pools)

    assert [len(one.processors) for one in own] == [1, 4]
    assert (found.turnaround, [one.counts.tolist() for one in found.pools]) == (4, [[4], [4, 0, 0, 0]])


def random_speeds(rnd, most=4):
    kinds = [Fraction(rnd.randint(1, 9), rnd.choice([1, 1, 2, 3])) for _ in range(rnd.randint(1, 3))]
    return tuple(rnd.choice(kinds) for _ in range(rnd.randint(1, most)))


@pytest.mark.parametrize("seed", range(8))
def test_number_of_processors_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(250):
        pieces, speeds = rnd.randint(1, 6), random_speeds(rnd)
        turnaround = least_turnaround(pieces, speeds) * rnd.choice([1, 1, 1, Fraction(3, 2), 2, Fraction(2, 3)])

        found = compress(pieces, speeds, turnaround)

        want = fewest_processors(pieces, speeds, turnaround)
        if want is None:
            assert isinstance(found, NoRoom), (pieces, speeds, turnaround)
            continue
        assert len(found.processors) == want, (pieces, speeds, turnaround)
        assert found.counts.sum() == pieces
        assert last_done(found.counts.tolist(), speeds) <= turnaround


def test_no_piece_is_lost_to_rounding():
    """Floats: what apportionment reaches, compression keeps; floors of x_imax, [S] 4.2, page 14, lose some."""
    rng = np.random.default_rng(11)
    lost = 0
    for _ in range(2000):
        speeds = rng.random(rng.integers(1, 6)) + 0.05
        pieces = int(rng.integers(1, 40))
        turnaround = apportion(pieces, speeds).turnaround
        found = compress(pieces, speeds, turnaround)
        assert isinstance(found, Compression)
        assert (found.counts / speeds).max() <= turnaround
        lost += sum(math.floor(turnaround * speed) for speed in speeds) < pieces
    assert 20 < lost < 200


def test_floats_of_pools_are_compared_alike():
    found = compress_pools([Pool(pieces=1, speeds=[3]), Pool(pieces=1, speeds=[3.0])])

    assert (found.turnaround, [one.counts.tolist() for one in found.pools]) == (1 / 3, [[1], [1]])


@settings(max_examples=30)
@given(st.integers(1, 60), speeds_of_processors, sixths)
def test_another_processor_never_takes_more(pieces, speeds, speed):
    turnaround = apportion(pieces, speeds).turnaround

    assert len(compress(pieces, [*speeds, speed], turnaround).processors) <= len(
        compress(pieces, speeds, turnaround).processors
    )


@settings(max_examples=30)
@given(st.integers(1, 60), speeds_of_processors, st.randoms(use_true_random=False))
def test_order_of_processors_changes_nothing(pieces, speeds, rnd):
    turnaround = apportion(pieces, speeds).turnaround
    shuffled = rnd.sample(speeds, len(speeds))

    assert sorted(compress(pieces, shuffled, turnaround).counts) == sorted(compress(pieces, speeds, turnaround).counts)


@settings(max_examples=30)
@given(st.integers(1, 60), speeds_of_processors, sixths)
def test_scaling_speed_scales_the_turnaround(pieces, speeds, scale):
    turnaround = apportion(pieces, speeds).turnaround
    scaled = compress(pieces, [speed * scale for speed in speeds], turnaround / scale)

    assert scaled.counts.tolist() == compress(pieces, speeds, turnaround).counts.tolist()


@settings(max_examples=30)
@given(st.integers(1, 60), speeds_of_processors)
def test_floats_agree_with_exact_numbers(pieces, speeds):
    """A turn-around a little longer than the least: to just that one rounding may be more than it leaves."""
    turnaround = apportion(pieces, speeds).turnaround * (1 + Fraction(1, 10**9))
    in_floats = compress(pieces, [float(speed) for speed in speeds], float(turnaround))

    assert in_floats.counts.tolist() == compress(pieces, speeds, turnaround).counts.tolist()


pools_of_job = st.lists(st.builds(Pool, pieces=st.integers(1, 20), speeds=speeds_of_processors), min_size=1, max_size=4)


@settings(max_examples=20)
@given(pools_of_job, st.randoms(use_true_random=False))
def test_order_of_pools_changes_nothing(pools, rnd):
    order = rnd.sample(range(len(pools)), len(pools))
    found, shuffled = compress_pools(pools), compress_pools([pools[index] for index in order])

    assert shuffled.turnaround == found.turnaround
    for index, one in zip(order, shuffled.pools, strict=True):
        assert one.counts.tolist() == found.pools[index].counts.tolist()


@settings(max_examples=20)
@given(pools_of_job, st.integers(0, 3), sixths)
def test_another_processor_in_a_pool_never_hurts(pools, index, speed):
    index %= len(pools)
    grown = [*pools]
    grown[index] = Pool(pieces=pools[index].pieces, speeds=[*pools[index].speeds, speed])

    assert compress_pools(grown).turnaround <= compress_pools(pools).turnaround


@settings(max_examples=20)
@given(pools_of_job)
def test_pools_in_floats_agree_with_exact_numbers(pools):
    in_floats = [Pool(pieces=pool.pieces, speeds=[float(speed) for speed in pool.speeds]) for pool in pools]

    assert compress_pools(in_floats).turnaround == pytest.approx(float(compress_pools(pools).turnaround), rel=1e-9)


def test_too_short_a_turnaround_is_reported_with_numbers():
    assert sentence_of(compress(5, [2, 1], Fraction(3, 2))) == "4 of 5 pieces are done within 3/2"


def test_many_pieces_do_not_overflow():
    found = compress(10**15, np.full(20_000, 1e18), 1.0)

    assert (found.processors.tolist(), found.counts.sum()) == ([0], 10**15)


@pytest.mark.parametrize(
    ("call", "want_field"),
    [
        pytest.param(lambda: compress(0, [1], 1), "pieces", id="no pieces"),
        pytest.param(lambda: compress(1, [-1], 1), "speeds[0]", id="a speed below 0"),
        pytest.param(lambda: compress(1, [1], 0), "turnaround", id="no time"),
        pytest.param(lambda: compress(1, [1], math.inf), "turnaround", id="for ever"),
        pytest.param(lambda: compress_pools([]), "pools", id="no pools"),
        pytest.param(
            lambda: compress_pools([Pool(pieces=1, speeds=[1]), Pool(pieces=1, speeds=[2, 0])]),
            "pools[1].speeds[1]",
            id="a speed in a pool",
        ),
    ],
)
def test_nonsense_is_refused_by_name(call, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        call()

    assert refusal.value.field == want_field
