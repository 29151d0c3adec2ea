"""Gangs that all shrink free the nodes of which a plan with smaller gangs is made, at the same times."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.run_times import TimesWork
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind
from coschedule.resizing.shrinking import all_shrunk, shrinking
from coschedule.resizing.worlds import World, resized, with_all_shrunk
from engine.builders import NOW, node, snapshot

STEEP = TimesWork(times=(40_000.0, 20_000.0, 15_000.0, 12_000.0, 11_000.0))


def run(name, nodes, *, least=1, changed=-math.inf, restart_time=120.0, work=STEEP, fixed=()):
    """Describe a gang that has just begun on these nodes."""
    others = sum(len(part.nodes) for part in fixed if part.is_work)
    return ElasticRun(
        key=GangKey("default", name),
        created=NOW,
        sizes=Sizes(minimum=least, maximum=4),
        request=(1,),
        work=work,
        left=1.0,
        nodes=nodes,
        end=NOW + work.float_time(len(nodes) + others),
        terms=ChangeTerms(restart_time=restart_time),
        changed=changed,
        fixed=fixed,
    )


def fixed_on(*nodes, is_work=True):
    """Describe members whose number never changes; each takes twice as much as others."""
    return FixedMembers(SeatKind(Constraints(), (2,)), nodes, is_work)


def world(runs, until=(math.inf,) * 8):
    """Describe eight nodes of three slots, on which these gangs run; no other gang waits."""
    held = [(index, (1,), one.end) for one in runs for index in one.nodes]
    held += [(index, (2,), one.end) for one in runs for part in one.fixed for index in part.nodes]
    taken = Counter(index for index, request, _ in held for _ in range(request[0]))
    nodes = [node(f"n{index}", free=3 - taken[index], until=until[index]) for index in range(8)]
    releases = [Release(node=index, request=request, time=time) for index, request, time in held]
    return World(snapshot(nodes, [], releases=releases), runs)


@st.composite
def worlds(draw):
    runs, begin = [], 0
    for number in range(draw(st.integers(0, 3))):
        size = draw(st.integers(1, 2))
        nodes = tuple(range(begin, begin + size))
        begin += size
        since = draw(st.sampled_from([-math.inf, NOW - 700, NOW - 600]))
        parts = [(), (fixed_on(number),), (fixed_on(7 - number, is_work=False),)]
        fixed = draw(st.sampled_from([*parts, tuple(part for one in parts for part in one)]))
        runs.append(run(f"r{number}", nodes, least=draw(st.integers(1, size)), changed=since, fixed=fixed))
    until = [draw(st.sampled_from([math.inf, NOW + 16_000.0])) for _ in range(8)]
    return world(runs, until)


@given(before=worlds())
def test_gangs_that_all_shrink_leave_what_the_plan_counts_on(before):
    after = resized(before, all_shrunk(*before), {})

    expected = with_all_shrunk(before, NOW)
    at_once = [one for one in expected.releases if one.time == NOW]
    free = expected.free.copy()
    np.add.at(free, [one.node for one in at_once], 1)
    later = Counter(one for one in expected.releases if one.time > NOW)
    assert after.snapshot.free.tolist() == free.tolist()
    assert Counter(after.snapshot.releases) == later


@given(before=worlds())
def test_every_gang_that_shrinks_keeps_its_fewest_members_until_its_end(before):
    for change in all_shrunk(*before).changes:
        [one] = [one for one in before.runs if one.key == change.gang]
        assert len(change.nodes) == one.sizes.minimum < change.was == one.size
        assert set(change.nodes) <= set(one.nodes)
        assert change.end == pytest.approx(NOW + 120 + STEEP.float_time(len(change.nodes) + one.fixed_working))
        assert before.snapshot.until[replace(one, nodes=change.nodes).all_nodes].min() >= change.end


@given(before=worlds())
def test_what_members_take_of_nodes_is_free_or_comes_back_whatever_shrinks(before):
    after = resized(before, all_shrunk(*before), {}).snapshot

    for then in (before.snapshot, after, with_all_shrunk(before, NOW), with_all_shrunk(before, NOW + 100)):
        capacity = then.free.copy()
        for one in then.releases:
            capacity[one.node] += one.request
        assert capacity.tolist() == [[3]] * 8


def test_a_gang_that_has_just_changed_shrinks_when_it_may():
    one = run("r", (0, 1), changed=NOW - 100)

    how = shrinking(one, world([one]).snapshot, NOW)

    # It works for 500 s with two members, so that 39,000 s are left for one.
    assert how == ((0,), (1,), NOW + 500, NOW + 500 + 120 + 39_000)
    assert all_shrunk(*world([one])).changes == ()


@pytest.mark.parametrize(("asked", "want"), [(1, [1]), (2, []), (3, [])])
def test_a_gang_of_which_a_size_is_asked_shrinks_to_no_other(asked, want):
    one = replace(run("r", (0, 1)), asked=asked)

    assert [change.size_after for change in all_shrunk(*world([one])).changes] == want
    times = {one.end} if not want else {NOW, NOW + 120 + 40_000.0}
    assert {release.time for release in with_all_shrunk(world([one]), NOW).releases} == times


def test_a_gang_that_shrinks_is_as_slow_as_its_slowest_fixed_member():
    one = run("r", (0, 1), fixed=(fixed_on(7),))
    before = world([one])
    facts = replace(before.snapshot, slowdown=np.array([1.0] * 7 + [2.0]))
    one = replace(one, end=NOW + 2 * 15_000.0)

    how = shrinking(one, facts, NOW)

    assert (how.kept, how.end) == ((0,), NOW + 120 + 2 * 20_000.0)
    assert shrinking(one, replace(facts, until=np.array([math.inf] * 7 + [how.end - 1])), NOW) is None


def test_what_shrinking_costs_is_the_loss_of_the_objective():
    one = run("r", (0, 1))

    plan = all_shrunk(*world([one]))

    alone = 40_000.0
    assert plan.gain == pytest.approx((1 - 120 / 1000 - 2) / alone**0.75)
