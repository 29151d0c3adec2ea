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
from coschedule.queue.problem.size_change import SizeReason
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.open_ended.dividing import CHANGE_COST
from coschedule.resizing.promising import late_gangs
from coschedule.resizing.resize import resize
from coschedule.resizing.unit_times import UnitTime, relative_speeds
from engine.builders import NOW, gang, node, release, running, snapshot

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


def world(runs, count, gangs=(), paces=(), ends=()):
    """Nodes of one slot each; on those of ``ends``, by index, others run until then."""
    held = {index for run in runs for index in run.nodes} | {index for index, _ in ends}
    paces = [*paces, *[1.0] * count]
    nodes = [node(f"n{index:02}", free=int(index not in held), slowdown=paces[index]) for index in range(count)]
    endless = [running(run.key.name, *run.nodes) for run in runs]
    return replace(snapshot(nodes, gangs, runs=endless, releases=[release(*one) for one in ends]), running=())


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
    """The most that a division adds to the objective in which only measured gangs give seats, and take what is given.

    Or all gangs share what is idle, and those that get faster with fewer members shrink.
    """
    idle = count - sum(run.size for run in runs)
    best = -math.inf
    for sizes in product(range(1, 7), repeat=len(runs)):
        chosen = [(run, size, worth(run, size)) for run, size in zip(runs, sizes, strict=True)]
        exchanged = sum(sizes) <= count and all(run.is_measured or size == run.size for run, size, _ in chosen)
        grown = sum(max(size - run.size, 0) for run, size, _ in chosen) <= idle
        shared = grown and all(gain > 0 for run, size, gain in chosen if size < run.size)
        if exchanged or shared:
            best = max(best, sum(gain for *_, gain in chosen))
    return best


def after_all(runs, count):
    """The gangs after plans that follow each other until no size changes, with no time between them."""
    for _ in range(10):
        changes = {one.gang: one for one in resize(world(runs, count), runs, {}).sizes.changes}
        if not changes:
            return runs
        runs = [replace(run, nodes=changes[run.key].nodes, changed=NOW) if run.key in changes else run for run in runs]
    raise AssertionError("sizes go on changing")


def capacity(facts):
    """What is free on each node in the end."""
    all_of_it = facts.free + facts.someday
    for one in facts.releases:
        all_of_it[one.node] += one.request
    return all_of_it.tolist()


@given(case=cases())
def test_nodes_are_divided_as_well_as_in_any_way(case):
    runs, count = case
    able = [run for run in runs if run.is_measured and run.changed <= LONG_AGO]

    then = after_all(runs, count)

    if able:
        sizes = [run.size for run in then]
        found = sum(worth(*one) for one in zip(runs, sizes, strict=True))
        assert found >= greatest(runs, count) - 1e-9
        if all(run.is_measured for run in runs):
            assert found == pytest.approx(greatest(runs, count))
        assert len({index for run in then for index in run.nodes}) == sum(sizes)


@given(
    case=cases(priorities=(0, 1)),
    paces=st.lists(st.sampled_from([1.0, 2.0]), max_size=12),
    waits=st.integers(0, 9),
    serial=st.sampled_from([None, 500]),
    ends=st.lists(st.sampled_from([NOW + 100, NOW + 1000]), max_size=3),
)
def test_whatever_changes_keeps_the_rules_of_all_changes(case, paces, waits, serial, ends):
    runs, count = case
    used = [(count + place, end) for place, end in enumerate(ends)]
    waiting = [gang("waits", size=waits, serial=serial, promised=NOW + 300)] if waits else []
    count += len(ends)
    facts = world(runs, count, waiting, paces, used)
    by_key, made = {run.key: run for run in runs}, plan(facts)
    starts = any(isinstance(one, Placement) and one.start <= NOW for one in made.decisions)

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
    assert late_gangs(result.plan, result.after) <= late_gangs(made, facts)
    assert capacity(result.after) == capacity(facts)
    assert resize(facts, runs[::-1], {}).sizes == result.sizes
