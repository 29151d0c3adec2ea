"""In a long queue, the queue is not planned on snapshots on which the previous plan has become impossible."""

import math
from dataclasses import replace

import pytest

from coschedule.model.run_times import SerialWork
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.keeping.memory import remembering
from coschedule.queue.problem.gangs import GangKey, Kept, Seat
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing import beside
from coschedule.resizing.beside import planned_beside
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.worlds import World
from engine.builders import NOW, gang, node, release, snapshot

END = NOW + 20_000
RUN = ElasticRun(
    key=GangKey("default", "run"),
    created=NOW,
    sizes=Sizes(minimum=1, maximum=4),
    request=(1,),
    work=SerialWork(serial=4 * (END - NOW)),
    left=1.0,
    nodes=(0, 1, 2, 3),
    end=END,
    terms=ChangeTerms(restart_time=120.0, min_interval=600.0),
)
NODES = [node(f"n{index}", free=0) for index in range(4)]
RELEASES = [release(index, END) for index in range(4)]


def world(*gangs, now=NOW):
    """Return the run on all nodes, and gangs that wait."""
    return World(replace(snapshot(NODES, gangs, releases=RELEASES, now=now), promises=Promises.SLACK), [RUN])


def waiting(promised):
    """Describe three gangs of one member, which the run leaves too little time if it keeps all its nodes."""
    return [gang(f"g{index}", serial=30_000, size=1, created=NOW, promised=promised) for index in range(3)]


def planned(facts):
    return planned_beside(facts, SizePlan(), {}, None)


@pytest.fixture
def plans(monkeypatch):
    """Return the snapshots on which the queue is planned."""
    seen, plan_once = [], beside.plan_once

    def counted(facts, **how):
        seen.append(facts)
        return plan_once(facts, **how)

    monkeypatch.setattr(beside, "plan_once", counted)
    return seen


@pytest.mark.parametrize(("long", "more_plans"), [(2, 1), (3, 2)], ids=["long queue", "short queue"])
def test_long_queue_is_not_planned_as_if_gangs_stayed_if_the_plan_before_assumed_that_they_shrink(
    long, more_plans, plans, monkeypatch
):
    monkeypatch.setattr(beside, "_CHECKED_QUEUE", long)
    first = planned(world(*waiting(promised=NOW + 5_000)))
    assert len(plans) == 2, "once as if the run stayed, once as if it shrank"
    later = world(*waiting(promised=NOW + 5_000), now=NOW + 60)

    second = planned(later._replace(snapshot=remembering(later.snapshot, first.after, first.plan)))

    assert len(plans) == 2 + more_plans
    assert (first.late, second.late) == (frozenset(), frozenset())
    assert second.after == plans[-1]


def test_long_queue_is_planned_as_if_gangs_stayed_while_that_is_possible(plans, monkeypatch):
    monkeypatch.setattr(beside, "_CHECKED_QUEUE", 2)
    first = planned(world(*waiting(promised=END + 5_000)))
    later = world(*waiting(promised=END + 5_000), now=NOW + 60)

    second = planned(later._replace(snapshot=remembering(later.snapshot, first.after, first.plan)))

    assert [len(facts.releases) for facts in plans] == [4, 4]
    assert {one.start for one in second.plan.decisions} == {END}


@pytest.mark.parametrize("long", [0, math.inf])
def test_promise_that_no_change_can_keep_is_broken_in_queues_of_any_length(long, monkeypatch):
    monkeypatch.setattr(beside, "_CHECKED_QUEUE", long)
    impossible = gang("g", serial=30_000, size=4, created=NOW, promised=NOW + 10)

    assert planned(world(impossible)).late == {impossible.key}


def test_gangs_may_shrink_when_the_previous_plan_needs_it_though_another_promise_is_earlier():
    made = planned(beside_another_promise())

    assert made.late == frozenset()
    assert {one.gang.name: one.start - NOW for one in made.plan.decisions}["first"] == 3_000


@pytest.mark.parametrize("long", [0, math.inf])
def test_sizes_cost_four_plans_at_most(long, plans, monkeypatch):
    monkeypatch.setattr(beside, "_CHECKED_QUEUE", long)
    impossible = gang("impossible", serial=600, size=9, created=NOW, promised=NOW + 700)
    facts, runs = beside_another_promise()

    planned(World(replace(facts, gangs=(*facts.gangs, impossible)), runs))

    assert 2 <= len(plans) <= 4
    assert len(plans) == 4 or not long


def test_in_a_longer_queue_sizes_cost_two_plans_at_most(plans, monkeypatch):
    monkeypatch.setattr(beside, "LONG_QUEUE", 3)
    impossible = gang("impossible", serial=600, size=9, created=NOW, promised=NOW + 700)
    facts, runs = beside_another_promise()

    planned(World(replace(facts, gangs=(*facts.gangs, impossible)), runs))

    assert len(plans) == 2


def test_late_gangs_of_a_plan_are_found_as_often_however_many_wait(monkeypatch):
    assert late_gangs_are_found(1, monkeypatch) == late_gangs_are_found(20, monkeypatch)


def late_gangs_are_found(waiting, monkeypatch):
    """Count how often the late gangs of a plan are found if this many gangs are late."""
    found, late_gangs = [], beside.late_gangs
    monkeypatch.setattr(beside, "late_gangs", lambda *facts: found.append(1) or late_gangs(*facts))
    late = [gang(f"late{index}", serial=600, size=9, created=NOW, promised=NOW + 10) for index in range(waiting)]
    planned(world(*late))
    monkeypatch.undo()
    return len(found)


def beside_another_promise():
    """Return two runs; one shrinks for "first" at 3,000 s by the previous plan, but "soon" has the first promise."""
    # It ends in time for "first" by itself. If it shrank for "soon", it would last too long.
    ending = replace(
        RUN, key=GangKey("default", "ending"), nodes=(0, 1), end=NOW + 2_500, work=SerialWork(serial=5_000)
    )
    lasting = replace(RUN, nodes=(2, 3), work=SerialWork(serial=2 * (END - NOW)))
    releases = [release(index, run.end) for run in (ending, lasting) for index in run.nodes]
    gangs = [
        planned_before("first", 0, 1, 3, start=3_000, seconds=1_900, promised=5_000, pool="first"),
        planned_before("second", 0, 1, 3, start=4_900, seconds=1_900, promised=4_950, pool="first"),
        planned_before("soon", 4, start=400, seconds=10**6, promised=500, pool="last"),
    ]
    nodes = [node(f"n{index}", free=0, labels={"pool": "last" if index == 4 else "first"}) for index in range(5)]
    facts = snapshot(nodes, gangs, releases=[*releases, release(4, NOW + 400)])
    return World(replace(facts, promises=Promises.SLACK), [ending, lasting])


def planned_before(name, *nodes, start, seconds, promised, pool):
    """Describe a gang with a member on each of these nodes of its pool in the previous plan."""
    asked = {"constraints": Constraints(node_selector=(("pool", pool),)), "size": len(nodes)}
    one = gang(name, serial=len(nodes) * seconds, created=NOW, promised=NOW + promised, **asked)
    seats = tuple(Seat(index, 1) for index in nodes)
    return replace(one, kept=Kept(start=NOW + start, finish=NOW + start + seconds, seats=(seats,)))
