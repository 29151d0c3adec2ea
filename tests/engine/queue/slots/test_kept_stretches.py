"""Stretches that are kept while a timeline changes equal those found on the last timeline from nothing."""

from dataclasses import replace

import numpy as np
import pytest

from coschedule.queue.planner.windows_and_releases import expected_timeline
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.kept import stretches_for
from engine.builders import NOW, node, release, seeded, snapshot

NODES = 8


def random_timeline(rnd):
    nodes = [
        node(
            f"n{index}",
            free=(rnd.randint(0, 4), rnd.choice([2, 8])),
            slowdown=rnd.choice([1.0, 1.0, 2.0]),
            start=NOW + rnd.choice([-1, -1, 3]),
            until=rnd.choice([np.inf, np.inf, NOW + 12]),
        )
        for index in range(NODES)
    ]
    releases = [release(rnd.randrange(NODES), NOW + rnd.randint(1, 20), rnd.randint(1, 3), 1) for _ in range(8)]
    return expected_timeline(snapshot(nodes, (), releases=releases, resources=("cpu", "memory")), MASKS)


MASKS = [np.arange(NODES) >= 0, np.arange(NODES) % 2 == 0]
REQUESTS = [np.array(request) for request in ((1, 1), (2, 0), (0, 1), (0, 0))]


def random_claim(rnd):
    ranks = np.array(sorted(rnd.sample(range(NODES), rnd.randint(1, 4))))
    start = NOW + rnd.choice([0, 0, rnd.randint(1, 15)])
    return Claim(
        ranks=ranks,
        counts=np.array([rnd.randint(1, 2) for _ in ranks]),
        request=rnd.choice(REQUESTS),
        start=start,
        finish=rnd.choice([start + rnd.randint(1, 9), np.inf]),
        closes=rnd.random() < 0.1,
    )


def found(timeline, request, passes):
    """List the stretches as a set: nothing depends on their order."""
    stretches = stretches_for(timeline, request, passes)
    begins, ends = stretches.times[stretches.begin], stretches.times[stretches.end]
    rows = zip(stretches.owner.tolist(), begins, ends, stretches.above.tolist(), stretches.upto.tolist(), strict=True)
    assert stretches.classes == len(timeline.width)
    assert (np.diff(stretches.times) > 0).all()
    return sorted(rows)


def found_from_nothing(timeline, request, passes):
    return found(replace(timeline, kept={}), request, passes)


def ask(rnd):
    return rnd.choice(REQUESTS), rnd.choice(MASKS)


@pytest.mark.parametrize("seed", range(60))
def test_kept_stretches_equal_those_found_from_nothing_after_any_claims(seed):
    rnd = seeded(seed)
    timeline = random_timeline(rnd)
    for _ in range(25):
        for _ in range(rnd.randint(0, 3)):
            timeline = timeline.claimed(random_claim(rnd))
        asked = ask(rnd)
        assert found(timeline, *asked) == found_from_nothing(timeline, *asked)


@pytest.mark.parametrize("seed", range(30))
def test_timelines_made_from_one_do_not_disturb_each_other(seed):
    rnd = seeded(seed)
    timelines = [random_timeline(rnd)]
    for _ in range(30):
        one = rnd.choice(timelines)
        found(one, *ask(rnd))
        timelines.append(one.claimed(random_claim(rnd)))
        for timeline in timelines:
            asked = ask(rnd)
            assert found(timeline, *asked) == found_from_nothing(timeline, *asked)


@pytest.mark.parametrize("seed", range(20))
def test_stretches_of_divided_and_of_fewer_nodes_are_their_own(seed):
    rnd = seeded(seed)
    timeline = random_timeline(rnd)
    asked = ask(rnd)
    found(timeline, *asked)

    divided = timeline.divided(np.arange(NODES) % 3).claimed(random_claim(rnd))
    fewer = timeline.of_ranks(np.flatnonzero(np.arange(NODES) > 2))

    assert found(divided, *asked) == found_from_nothing(divided, *asked)
    assert found(fewer, *asked) == found_from_nothing(fewer, *asked)


def test_only_the_latest_are_kept():
    timeline = random_timeline(seeded(1))
    for cpus in range(100):
        stretches_for(timeline, np.array([cpus, 1]), MASKS[0])

    assert len(timeline.kept) < 100
    assert found(timeline, np.array([2, 1]), MASKS[0]) == found_from_nothing(timeline, np.array([2, 1]), MASKS[0])


@pytest.mark.parametrize("seed", range(60))
def test_claims_at_once_equal_claims_one_after_the_other(seed):
    rnd = seeded(seed)
    at_once = one_by_one = random_timeline(rnd)
    for _ in range(4):
        found(at_once, *ask(rnd))
        claims = [random_claim(rnd) for _ in range(rnd.randint(0, 9))]
        at_once = at_once.claimed_all(claims)
        for claim in claims:
            one_by_one = one_by_one.claimed(claim)

        asked = ask(rnd)
        assert [spans_of(at_once, rank) for rank in range(NODES)] == [
            spans_of(one_by_one, rank) for rank in range(NODES)
        ]
        assert found(at_once, *asked) == found_from_nothing(at_once, *asked)


def spans_of(timeline, rank):
    """List begin, what is free, and whether it is open, for each span of a node."""
    spans = timeline.spans
    own = np.flatnonzero(spans.owner == timeline.class_of[rank])
    return [(spans.begin[span], spans.free[span].tolist(), bool(spans.open[span])) for span in own]


def test_nodes_of_which_the_same_is_claimed_stay_together():
    alike = [node(f"n{index}", free=4) for index in range(6)]
    timeline = expected_timeline(snapshot(alike, ()), [])
    claims = [
        Claim(
            ranks=np.array(ranks), counts=np.ones(len(ranks), dtype=int), request=np.array([1]), start=NOW, finish=end
        )
        for ranks, end in (([0, 1, 2], NOW + 5), ([1, 2, 3], NOW + 9))
    ]

    claimed = timeline.claimed_all(claims)

    assert [np.flatnonzero(claimed.class_of == one).tolist() for one in range(4)] == [[4, 5], [0], [1, 2], [3]]
    assert claimed.width.tolist() == [2, 1, 2, 1]
