"""On small clusters: how nodes are divided by measured speeds, compared with all divisions."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.changes import SizeReason
from coschedule.resizing.gangs import ChangeTerms, OpenEndedRun
from coschedule.resizing.open_ended.dividing import CHANGE_COST
from coschedule.resizing.resize import resize
from coschedule.resizing.unit_times import UnitTime, relative_speeds
from engine.builders import NOW, gang, node, running, snapshot

TERMS = ChangeTerms(restart_time=120.0, min_interval=600.0)
LONG_AGO = NOW - 700
UNIT_TIMES = st.dictionaries(st.integers(1, 6), st.sampled_from([10.0, 14.0, 20.0, 30.0, 40.0, 80.0]), max_size=3)


@st.composite
def cases(draw, *, priorities=(0,)):
    """Up to three gangs on the first of up to eight nodes."""
    runs, begin = [], 0
    for number in range(draw(st.integers(1, 3))):
        size = draw(st.integers(1, 3))
        times = {size: 20.0, **draw(UNIT_TIMES)} if draw(st.integers(0, 3)) else {}
        runs.append(
            OpenEndedRun(
                key=GangKey("default", f"r{number}"),
                sizes=Sizes(minimum=draw(st.integers(1, size)), maximum=draw(st.integers(size, 6))),
                request=(1,),
                nodes=tuple(range(begin, begin + size)),
                end=math.inf,
                terms=TERMS,
                changed=draw(st.sampled_from([-math.inf, LONG_AGO, LONG_AGO, NOW - 500])),
                priority=draw(st.sampled_from(priorities)),
                least=draw(st.integers(1, size)),
                unit_times=tuple(UnitTime(*one) for one in times.items()),
            )
        )
        begin += size
    return runs, begin + draw(st.integers(0, 3))


def world(runs, count, gangs=(), paces=()):
    held = {index for run in runs for index in run.nodes}
    paces = [*paces, *[1.0] * count]
    nodes = [node(f"n{index:02}", free=int(index not in held), slowdown=paces[index]) for index in range(count)]
    return replace(snapshot(nodes, gangs, runs=[running(run.key.name, *run.nodes) for run in runs]), running=())


def worth(run, size):
    """What a size adds to the objective; -inf for one that the gang may not have."""
    if size == run.size:
        return 0.0
    may_change = run.sizes.has(size) and run.changed <= NOW - TERMS.min_interval
    [speed] = relative_speeds(run.unit_times, np.array([size]), present=run.size).tolist()
    least = (CHANGE_COST if run.is_measured else run.least_growth) if size > run.size else 0.0
    may_shrink = size > run.size or run.is_measured
    return math.log(speed / CHANGE_COST) if may_change and may_shrink and speed >= least else -math.inf


def greatest(runs, count):
    """The most that any division of the nodes adds to the objective."""
    sizes = product(range(1, 7), repeat=len(runs))
    divisions = (division for division in sizes if sum(division) <= count)
    return max(sum(worth(*one) for one in zip(runs, division, strict=True)) for division in divisions)


def after_all(runs, count):
    """The gangs after plans that follow each other until no size changes, with no time between them."""
    for _ in range(10):
        changes = {one.gang: one for one in resize(world(runs, count), runs, {}).sizes.changes}
        if not changes:
            return runs
        runs = [replace(run, nodes=changes[run.key].nodes, changed=NOW) if run.key in changes else run for run in runs]
    raise AssertionError("sizes go on changing")


@given(case=cases())
def test_nodes_are_divided_as_well_as_in_any_way(case):
    runs, count = case
    able = [run for run in runs if run.is_measured and run.changed <= LONG_AGO]

    then = after_all(runs, count)

    if able:
        sizes = [run.size for run in then]
        assert sum(worth(*one) for one in zip(runs, sizes, strict=True)) == pytest.approx(greatest(runs, count))
        assert len({index for run in then for index in run.nodes}) == sum(sizes)


@given(case=cases(priorities=(0, 1)), paces=st.lists(st.sampled_from([1.0, 2.0]), max_size=12), waits=st.integers(0, 9))
def test_whatever_changes_keeps_the_rules_of_all_changes(case, paces, waits):
    runs, count = case
    facts = world(runs, count, [gang("waits", size=waits)] if waits else [], paces)
    by_key, made = {run.key: run for run in runs}, plan(facts)
    starts = any(isinstance(one, Placement) for one in made.decisions)

    result = resize(facts, runs, {})

    added = [index for one in result.sizes.changes for index in set(one.nodes) - set(by_key[one.gang].nodes)]
    assert len(set(added)) == len(added)
    assert all(facts.free[index, 0] == 1 for index in added)
    for one in result.sizes.changes:
        run = by_key[one.gang]
        assert run.sizes.has(len(one.nodes))
        assert run.changed <= NOW - TERMS.min_interval
        assert set(one.nodes) <= set(run.nodes) or set(one.nodes) >= set(run.nodes)
        assert run.is_measured or len(one.nodes) > run.size or one.made_for
        if one.because is SizeReason.MEASURED_SPEEDS and (waits and waits <= count) and not starts:
            assert one.speed > CHANGE_COST
            assert len(one.nodes) < run.size
    capacity = result.after.free + result.after.someday
    for release in result.after.releases:
        capacity[release.node] += release.request
    assert capacity.tolist() == (facts.free + facts.someday).tolist()
    assert resize(facts, runs[::-1], {}).sizes == result.sizes
