"""Pieces on the fastest of places that are free together: how many members, and who gets what."""

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.pieces.fastest_nodes import SizeCosts, SizedPieces, choose_size, divide_pieces
from engine.brute.pieces import Job, best_size, shared_load
from engine.builders import seeded

slowdowns_of_members = st.lists(st.sampled_from([0.1, 0.3, 1.0, 1.1, 7.0]), min_size=1, max_size=9)


def among(classes, pieces, sizes, *, seconds=1.0, weights=None):
    """Choose among classes of (slow-down, places), given the overhead, and perhaps the weight, by size."""
    slowdowns, counts = zip(*sorted(classes), strict=True)
    return choose_size(
        np.array(slowdowns, dtype=np.float64),
        np.array(counts, dtype=np.int64),
        pieces=pieces,
        seconds_per_piece=seconds,
        costs=SizeCosts(
            np.array(list(sizes), dtype=np.int64),
            np.array(list(sizes.values()), dtype=np.float64),
            np.ones(len(sizes)) if weights is None else np.array([weights[size] for size in sizes]),
        ),
    )


def flat(*sizes):
    return dict.fromkeys(sizes, 0.0)


@pytest.mark.parametrize(
    ("classes", "pieces", "sizes", "want"),
    [
        pytest.param([(1.0, 8)], 8, flat(*range(1, 9)), (1.0, 8), id="one piece each"),
        pytest.param([(1.0, 8)], 9, flat(*range(1, 9)), (2.0, 5), id="of equal runs the fewest members"),
        pytest.param([(1.0, 8)], 8, {1: 0, 2: 1, 4: 7, 8: 9}, (5.0, 2), id="overhead ends growth"),
        pytest.param(
            [(0.25, 1), (2.0, 3)], 4, flat(1, 2), (1.0, 1), id="a slow member takes longer over its one piece"
        ),
        pytest.param([(0.25, 1), (2.0, 3)], 4, flat(2, 3), (2.0, 2), id="it has one even so"),
        pytest.param([(1.0, 3)], 2, flat(2, 3), (1.0, 2), id="no more members than pieces"),
        pytest.param([(1.0, 0), (2.0, 2), (3.0, 0), (4.0, 1)], 3, flat(1, 2, 3), (4.0, 2), id="empty classes"),
    ],
)
def test_choice(classes, pieces, sizes, want):
    assert among(classes, pieces, sizes) == SizedPieces(seconds=want[0], size=want[1])


@pytest.mark.parametrize(
    ("pieces", "sizes"),
    [
        pytest.param(9, (4, 5), id="more members than places"),
        pytest.param(2, (3,), id="more members than pieces"),
        pytest.param(9, (), id="no sizes"),
    ],
)
def test_no_size_fits(pieces, sizes):
    assert among([(1.0, 3)], pieces, flat(*sizes)) is None


def random_case(rnd):
    kinds = rnd.sample([0.1, 0.3, 0.5, 1.0, 1.1, 2.0, 2.7, 9.0], rnd.randint(1, 3))
    classes = [(kind, rnd.randint(0, 3)) for kind in kinds]
    sizes = sorted(rnd.sample(range(1, 8), rnd.randint(1, 6)))
    step = rnd.choice([0.0, 0.0, 0.1, 0.7, -0.2])
    job = Job(pieces=rnd.randint(1, 8), seconds=rnd.choice([1.0, 0.3]), per_member=0, fixed=0)
    return classes, job, {size: 2 + step * size + rnd.choice([0, 0, 0.1]) for size in sizes}


@pytest.mark.parametrize("seed", range(10))
def test_choice_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(250):
        classes, job, sizes = random_case(rnd)

        found = among(classes, job.pieces, sizes, seconds=job.seconds)

        want = best_size([slowdown for slowdown, count in classes for _ in range(count)], job, sizes.items())
        assert (found and (found.seconds, found.size)) == want, (classes, job, sizes)


@pytest.mark.parametrize("step", [0.0, 1e-6, 0.02, -0.001])
@pytest.mark.parametrize("pieces", [90, 400, 10**6])
@pytest.mark.parametrize("classes", [1, 3, 30])
def test_every_size_dealt_alone_is_no_better(pieces, step, classes):
    """Search among classes against dealing to listed members, for every size."""
    rng = np.random.default_rng(classes)
    kinds, counts = np.sort(rng.uniform(0.5, 4.0, classes)), rng.multinomial(120, np.full(classes, 1 / classes))
    listed = np.repeat(kinds, counts)
    sizes = {size: 1 + step * size for size in range(3, 89)}
    dealt = [((divide_pieces(listed[:size], pieces) * listed[:size]).max() * 0.7 + sizes[size], size) for size in sizes]

    found = among(zip(kinds, counts, strict=True), pieces, sizes, seconds=0.7)

    assert (found.seconds, found.size) == min(dealt)


@pytest.mark.parametrize(
    ("slowdowns", "pieces", "want"),
    [
        pytest.param([1, 1, 1], 5, [2, 2, 1], id="of equal members the first"),
        pytest.param([100, 1, 1], 5, [1, 2, 2], id="one piece even to the slowest"),
        pytest.param([3, 50, 1, 20], 4, [1, 1, 1, 1], id="a piece each"),
        pytest.param([8, 1, 4, 2], 16, [1, 9, 2, 4], id="in proportion to speed"),
    ],
)
def test_deal(slowdowns, pieces, want):
    assert divide_pieces(np.array(slowdowns, dtype=np.float64), pieces).tolist() == want


def dealt_one_by_one(slowdowns, pieces):
    counts = [1] * len(slowdowns)
    queue = [(2 * slowdown, member) for member, slowdown in enumerate(slowdowns)]
    heapq.heapify(queue)
    for _ in range(pieces - len(slowdowns)):
        _, member = queue[0]
        counts[member] += 1
        heapq.heapreplace(queue, ((counts[member] + 1) * slowdowns[member], member))
    return counts


@pytest.mark.parametrize("seed", range(4))
def test_deal_equals_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(500):
        slowdowns = [rnd.choice([0.1, 0.3, 1.0, 1.1, 7.0, rnd.random() + 0.1]) for _ in range(rnd.randint(1, 4))]
        pieces = len(slowdowns) + rnd.randint(0, 5)

        counts = divide_pieces(np.array(slowdowns), pieces)

        assert (counts * slowdowns).max() == shared_load(slowdowns, pieces), (slowdowns, pieces)
        assert (counts.sum(), counts.min() > 0) == (pieces, True)


@settings(max_examples=40)
@given(slowdowns_of_members, st.integers(0, 300))
def test_deal_gives_piece_by_piece(slowdowns, more):
    pieces = len(slowdowns) + more

    assert divide_pieces(np.array(slowdowns), pieces).tolist() == dealt_one_by_one(slowdowns, pieces)


@settings(max_examples=40)
@given(slowdowns_of_members, st.integers(9, 300), st.sampled_from([0.2, 1.0, 5.0]))
def test_another_place_never_hurts(slowdowns, pieces, another):
    sizes = flat(*range(1, 10))

    fewer = among([(slowdown, 1) for slowdown in slowdowns], pieces, sizes)
    more = among([(slowdown, 1) for slowdown in [*slowdowns, another]], pieces, sizes)

    assert more.seconds <= fewer.seconds


@pytest.mark.parametrize(
    ("call", "want_field"),
    [
        pytest.param(lambda: among([(1.0, 1)], 0, flat(1)), "pieces", id="no pieces"),
        pytest.param(lambda: divide_pieces(np.ones(3), 2), "slowdowns", id="more members than pieces"),
        pytest.param(lambda: divide_pieces(np.ones(0), 2), "slowdowns", id="no members"),
        pytest.param(
            lambda: choose_size(
                np.ones(2),
                np.ones(1, int),
                pieces=1,
                seconds_per_piece=1.0,
                costs=SizeCosts(np.ones(1, int), np.ones(1), np.ones(1)),
            ),
            "counts",
            id="classes without a count",
        ),
        pytest.param(
            lambda: choose_size(
                np.ones(1),
                np.ones(1, int),
                pieces=1,
                seconds_per_piece=1.0,
                costs=SizeCosts(np.ones(2, int), np.ones(1), np.ones(2)),
            ),
            "overheads",
            id="sizes without an overhead",
        ),
    ],
)
def test_nonsense_is_refused_by_name(call, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        call()

    assert refusal.value.field == want_field
