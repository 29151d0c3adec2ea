"""Pieces on nodes with starts, slots, windows and overhead: exhaustive search, and what must always hold."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coschedule.model.errors import InvalidValueError
from coschedule.pieces.apportion import apportion
from coschedule.problems.al_saqabi.gang_pieces import GangPieces, place_pieces
from coschedule.problems.al_saqabi.offers import PiecesJob
from coschedule.problems.node import Node
from coschedule.requests.refusal_answers import sentence_of
from engine.brute.gang_scan import scan_gang
from engine.brute.pieces import Job, Offer, gang_outcome
from engine.builders import as_node, seeded

amounts = st.integers(0, 120).map(lambda sixths: Fraction(sixths, 6))


nodes = st.builds(
    Node,
    start=amounts,
    duty_cycle=amounts,
    capacity=st.sampled_from([1, 2, Fraction(1, 2)]),
    until=st.one_of(st.just(math.inf), amounts.map(lambda amount: amount * 20)),
    slots=st.integers(1, 9),
)


clusters = st.lists(nodes, min_size=1, max_size=6)


jobs = st.builds(
    PiecesJob,
    pieces=st.integers(1, 12),
    seconds_per_piece=amounts.map(lambda amount: amount + 1),
    per_member=amounts,
    fixed=amounts,
)


def place(nodes, pieces, seconds=1, per_member=0, fixed=0):
    job = PiecesJob(pieces=pieces, seconds_per_piece=seconds, per_member=per_member, fixed=fixed)
    return place_pieces(nodes, job)


def finish(found):
    return found.finish if isinstance(found, GangPieces) else math.inf


@pytest.mark.parametrize(
    ("nodes", "job", "want_finish", "want_counts"),
    [
        pytest.param([Node(slots=9)] * 3, {"pieces": 7, "seconds": 10}, 30, [3, 3, 1], id="no overhead"),
        pytest.param(
            [Node(slots=9)] * 3, {"pieces": 7, "seconds": 1, "per_member": 4}, 11, [7, 0, 0], id="one is best"
        ),
        pytest.param(
            [Node(slots=9)] * 3,
            {"pieces": 8, "seconds": 2, "per_member": 4, "fixed": 1},
            17,
            [4, 4, 0],
            id="two are best",
        ),
        pytest.param([Node(slots=2), Node(slots=9)], {"pieces": 8}, 6, [2, 6], id="slots bound the pieces of a node"),
        pytest.param([Node(slots=9), Node(slots=9, start=3)], {"pieces": 4}, 4, [4, 0], id="not worth the wait"),
        pytest.param([Node(slots=9), Node(slots=9, start=3)], {"pieces": 10}, 8, [5, 5], id="worth the wait"),
        pytest.param([Node(slots=9, until=2), Node(slots=9)], {"pieces": 5}, 5, [0, 5], id="taken back too early"),
        pytest.param([Node(slots=9, until=3), Node(slots=9)], {"pieces": 6}, 3, [3, 3], id="taken back just in time"),
        pytest.param([Node(slowdowns=(1, 1, 4)), Node(slots=9)], {"pieces": 6}, 4, [2, 4], id="slow-down of the count"),
    ],
)
def test_choice(nodes, job, want_finish, want_counts):
    found = place(nodes, **job)

    assert (found.finish, found.counts.tolist()) == (want_finish, want_counts)


@pytest.mark.parametrize("pieces", [1, 900, 10**6, 10**15])
def test_idle_nodes_without_overhead_are_apportioned(pieces):
    rng = np.random.default_rng(3)
    capacities = [Fraction(int(above), 7) for above in rng.integers(1, 60, 200)]

    found = place([Node(capacity=capacity, slots=pieces) for capacity in capacities], pieces)

    assert found.finish == apportion(pieces, capacities).turnaround


def whole_offers(rnd, number):
    """Make offers of whole numbers that tie often: many starts, windows, and slow-downs by count."""
    return [
        Offer(
            start=rnd.randint(0, 12) * rnd.choice([0, 1, 3]),
            slowdowns=tuple(sorted(rnd.choices([2, 3, 5, 8], k=rnd.randint(1, 6)))),
            until=rnd.choice([None, rnd.randint(10, 120)]),
        )
        for _ in range(number)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_branch_and_bound_equals_plain_scan(seed):
    """More nodes than exhaustive search can do; half of the jobs in exact numbers, half in floats that hold them."""
    rnd = seeded(seed)
    offers = whole_offers(rnd, 30)
    job = Job(pieces=rnd.randint(5, 40), seconds=rnd.randint(1, 3), per_member=rnd.choice([0, 1, 4]), fixed=seed % 3)
    seconds = job.seconds if seed % 2 else float(job.seconds)

    found = place([as_node(offer) for offer in offers], *job._replace(seconds=seconds))

    outcome = gang_outcome(offers, job, found.counts.tolist()) if isinstance(found, GangPieces) else None
    assert outcome == scan_gang(offers, job)


def test_branch_and_bound_equals_apportionment_of_every_size():
    """Many nodes, floats: against the best of every start and every number of fastest nodes."""
    rng = np.random.default_rng(8)
    starts, slowdowns = rng.choice([0.0, 0.0, 30.0, 70.0], 60), rng.random(60) + 1
    cluster = [
        Node(start=start, duty_cycle=slowdown - 1, slots=500) for start, slowdown in zip(starts, slowdowns, strict=True)
    ]
    alone = []
    for start in sorted(set(starts)):
        fastest = np.sort(slowdowns[starts <= start])
        for number in range(1, len(fastest) + 1):
            load = apportion(500, 1 / fastest[:number]).turnaround
            alone.append(start + load * 10 + 3 * number)

    assert place(cluster, 500, 10.0, 3.0).finish == pytest.approx(min(alone), rel=1e-9)


@settings(max_examples=20)
@given(clusters, jobs, st.randoms(use_true_random=False))
def test_order_of_nodes_changes_nothing(cluster, job, rnd):
    shuffled = rnd.sample(cluster, len(cluster))

    assert finish(place_pieces(shuffled, job)) == finish(place_pieces(cluster, job))


@settings(max_examples=20)
@given(clusters, nodes, jobs)
def test_another_node_never_hurts(cluster, node, job):
    assert finish(place_pieces([*cluster, node], job)) <= finish(place_pieces(cluster, job))


@settings(max_examples=20)
@given(clusters, st.integers(0, 5), amounts, jobs)
def test_longer_window_never_hurts(cluster, index, longer, job):
    index %= len(cluster)
    extended = [*cluster]
    extended[index] = replace(cluster[index], until=cluster[index].until + longer)

    assert finish(place_pieces(extended, job)) <= finish(place_pieces(cluster, job))


@settings(max_examples=20)
@given(clusters, jobs, st.fractions(min_value=Fraction(1, 5), max_value=9, max_denominator=7))
def test_scaling_time_scales_the_answer(cluster, job, scale):
    slower = [replace(node, start=node.start * scale, until=node.until * scale) for node in cluster]
    times = {name: getattr(job, name) * scale for name in ("seconds_per_piece", "per_member", "fixed")}

    found, scaled = place_pieces(cluster, job), place_pieces(slower, replace(job, **times))

    assert finish(scaled) == finish(found) * scale
    if isinstance(found, GangPieces):
        assert scaled.counts.tolist() == found.counts.tolist()


@settings(max_examples=20)
@given(clusters, jobs)
def test_floats_agree_with_exact_numbers(cluster, job):
    lasting = [replace(node, until=math.inf) for node in cluster]

    found, in_floats = place_pieces(lasting, job), place_pieces(lasting, replace(job, fixed=float(job.fixed)))

    assert finish(in_floats) == pytest.approx(float(finish(found)), rel=1e-9)


@pytest.mark.parametrize(
    ("nodes", "want_message"),
    [
        pytest.param([], "3 pieces need as many slots and the nodes have 0", id="no nodes"),
        pytest.param([Node(), Node()], "3 pieces need as many slots and the nodes have 2", id="too few slots"),
        pytest.param(
            [Node(until=1), Node(slots=3, until=1)],
            "no nodes are free together until 3 pieces are done",
            id="taken back too early",
        ),
    ],
)
def test_refusal_has_numbers(nodes, want_message):
    assert sentence_of(place(nodes, 3)) == want_message


@pytest.mark.parametrize(
    ("changes", "want_field"),
    [
        pytest.param({"pieces": 0}, "pieces", id="no pieces"),
        pytest.param({"seconds": 0}, "seconds_per_piece", id="pieces that take no time"),
        pytest.param({"per_member": -1}, "per_member", id="nodes that give time"),
        pytest.param({"fixed": math.inf}, "fixed", id="for ever"),
    ],
)
def test_nonsense_is_refused_by_name(changes, want_field):
    with pytest.raises(InvalidValueError) as refusal:
        place([Node()], **{"pieces": 1} | changes)

    assert refusal.value.field == want_field
