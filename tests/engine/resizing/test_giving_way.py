"""The sizes to which gangs may shrink for more urgent ones."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.run_times import TimesWork
from coschedule.queue.codec import decode_snapshot, encode_snapshot
from coschedule.queue.plan import plan
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.running import SmallerSize
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind
from coschedule.resizing.giving_way import MOST_SIZES, with_smaller_sizes
from engine.builders import ANYWHERE, NOW, gang, node, running, snapshot

WORK = TimesWork(times=(40_000.0, 20_000.0, 15_000.0, 12_000.0))
KEY = GangKey("default", "r")


def run(*, nodes=(0, 1, 2, 3), least=1, most=4, work=WORK, kind=ElasticRun, **more):
    """Describe a gang that has just begun on these nodes, with its work or of unknown end."""
    described = {
        "key": KEY,
        "sizes": Sizes(minimum=least, maximum=most),
        "request": (1,),
        "nodes": nodes,
        "end": NOW + 12_000.0,
        "terms": ChangeTerms(restart_time=120.0),
    }
    own = {"created": NOW, "work": work, "left": 1.0} if kind is ElasticRun else {"priority": 0, "least": 3}
    return kind(**described | own | more)


def seen(one, nodes=(), **more):
    """The snapshot of a gang that runs on full nodes, with its smaller sizes; None without one."""
    nodes = nodes or [node(f"n{index:02}", free=0) for index in range(max(one.nodes) + 1)]
    runs = [running("r", *sorted(set(one.all_nodes)), size=len(one.all_nodes), end=one.end)]
    return with_smaller_sizes(snapshot(nodes, [], runs=runs, **more), [one])


def smaller(one, nodes=(), **more):
    return seen(one, nodes, **more).running[0].smaller


def sizes(one, nodes=()):
    found = smaller(one, nodes)
    return [] if found is None else [each.size for each in found.sizes]


def test_gang_ends_later_at_each_smaller_size_by_its_law():
    found = smaller(run())

    assert found.sizes == (
        SmallerSize(1, NOW + 120 + 40_000),
        SmallerSize(2, NOW + 120 + 20_000),
        SmallerSize(3, NOW + 120 + 15_000),
    )
    assert (found.restart_time, found.keeps, found.is_open_ended, found.fixed) == (120.0, False, False, 0)


def test_work_that_a_change_loses_counts():
    found = smaller(run(keeps=True, terms=ChangeTerms(restart_time=300.0, lost=180.0)))

    assert (found.lost, found.sizes[0]) == (180.0, SmallerSize(1, NOW + 300 + 40_000))


def test_gang_keeps_its_fastest_members():
    nodes = [node(f"n{index}", free=0, slowdown=slowdown) for index, slowdown in enumerate([2.0, 1.0, 1.0, 1.5])]

    found = smaller(run(end=NOW + 24_000.0), nodes)

    assert found.nodes == (1, 2, 3, 0)
    assert found.sizes[1] == SmallerSize(2, pytest.approx(NOW + 120 + 20_000))


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(run(asked=4), id="a size is asked of it"),
        pytest.param(run(changed=NOW - 599), id="its last change is not long ago"),
        pytest.param(run(least=4), id="it has its fewest members"),
        pytest.param(run(deadline=NOW + 12_500), id="it would miss its deadline"),
    ],
)
def test_gang_has_no_smaller_size(one):
    assert sizes(one) == []


@pytest.mark.parametrize(
    ("one", "want"),
    [
        pytest.param(run(changed=NOW - 600), [1, 2, 3], id="its interval is over"),
        pytest.param(run(deadline=NOW + 16_000), [3], id="its deadline allows some"),
        pytest.param(run(deadline=NOW + 11_000), [1, 2, 3], id="it misses its deadline anyway"),
        pytest.param(run(least=4, fewest=2), [2, 3], id="a less urgent gang waits"),
        pytest.param(run(work=TimesWork(times=(math.inf, 20_000.0, 15_000.0, 12_000.0))), [2, 3], id="one can't work"),
        pytest.param(run(kind=OpenEndedRun, end=math.inf), [1, 2, 3], id="its end is unknown"),
    ],
)
def test_gang_may_shrink_to(one, want):
    assert sizes(one) == want


def test_nodes_that_it_keeps_stay_open_until_it_ends():
    closing = [node(f"n{index}", free=0, until=NOW + 16_000) for index in range(4)]

    assert sizes(run(), closing) == [3]
    assert sizes(run(), [*closing[:3], node("n3", free=0, cordoned=True)]) == []


def test_gang_of_many_members_compares_sizes_at_equal_distances():
    many = run(nodes=tuple(range(100)), most=100, work=TimesWork(times=tuple(4000.0 / n for n in range(1, 101))))

    found = sizes(many)

    assert (len(found), found[0], found[-1]) == (MOST_SIZES, 1, 99)
    assert max(right - left for left, right in pairwise(found)) <= 7


def test_fixed_members_stay():
    fixed = (FixedMembers(SeatKind(ANYWHERE, (1,)), (4,), is_work=False),)
    one = run(fixed=fixed, kind=OpenEndedRun, end=math.inf, keeps=True)
    before = seen(one, [node(f"n{index}", free=0) for index in range(5)])
    snap = replace(before, gangs=(gang("hot", size=4, priority=1, may_preempt=True),))

    [found] = preempt(snap, plan(snap)).preemptions

    # With one member left it would give up three nodes only.
    assert (before.running[0].smaller.fixed, found.victims, found.shrinks) == (1, (KEY,), ())


@given(
    size=st.integers(2, 4),
    restart=st.sampled_from([0.0, 120.0]),
    keeps=st.booleans(),
    until=st.sampled_from([math.inf, NOW + 16_000, NOW + 21_000]),
)
def test_each_size_is_smaller_and_ends_while_its_nodes_are_open(size, restart, keeps, until):
    one = run(keeps=keeps, nodes=tuple(range(size)), terms=ChangeTerms(restart_time=restart))
    found = smaller(one, [node(f"n{index}", free=0, until=until) for index in range(size)])

    assert found is None or found.nodes[:1] == (0,)
    for each in () if found is None else found.sizes:
        assert 1 <= each.size < size
        assert NOW + restart <= each.end <= until


def test_smaller_sizes_are_recorded():
    snap = seen(run(kind=OpenEndedRun, end=math.inf))

    assert decode_snapshot(encode_snapshot(snap)).running == snap.running
