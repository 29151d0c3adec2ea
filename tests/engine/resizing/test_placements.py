"""Gangs that a choice of sizes starts: now where there is room, else when those that shrink have left."""

from dataclasses import replace

import pytest

from coschedule.model.run_times import SerialWork
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.size_plan import SizedStart, SizePlan
from coschedule.resizing.gangs.sized_run import ChangeTerms
from coschedule.resizing.placements import placements
from engine.builders import NOW, gang, node, snapshot

KEY = GangKey("default", "g")


def run(name, *nodes, grace):
    """Describe a gang that runs on these nodes."""
    return ElasticRun(
        key=GangKey("default", name),
        created=NOW,
        sizes=Sizes(minimum=1, maximum=4),
        request=(1,),
        work=SerialWork(serial=9000),
        left=1.0,
        nodes=nodes,
        end=NOW + 9000,
        terms=ChangeTerms(),
        grace=grace,
    )


def placed(*starts, runs=(), changes=None, free=(), **facts):
    """Place gangs of four nodes, of which the ``free`` ones have room; each is on these nodes for 60 seconds.

    ``changes`` are the nodes that runs keep, by their names.
    """
    gangs = [gang(name, serial=60, size=len(nodes), created=NOW, **facts) for name, nodes in starts]
    there = [node(f"n{number}", free=int(number in free), slowdown=1 + (number == 0)) for number in range(4)]
    changing = [one.change_to((changes or {})[one.key.name], NOW + 9500) for one in runs]
    sized = [SizedStart(GangKey("default", name), tuple(nodes), NOW + 60.0) for name, nodes in starts]
    return list(placements(snapshot(there, gangs), SizePlan(tuple(changing), tuple(sized)), runs))


def test_gang_with_room_starts_now():
    [one] = placed(("g", (2, 3)), free=(2, 3))

    assert (one.gang, one.start, one.finish, one.latest) == (KEY, NOW, NOW + 60, None)
    assert one.members == (Members("n2", 1), Members("n3", 1))


def test_gang_starts_on_seats_that_are_given_up_when_the_members_have_left():
    shrinks = run("a", 0, 1, 2, grace=30.0)

    [one] = placed(("g", (1, 3)), runs=[shrinks], changes={"a": (0, 2)}, free=(3,))

    assert (one.start, one.finish, one.latest, one.promised) == (NOW + 30, NOW + 90, "n1", None)
    assert one.members == (Members("n1", 1), Members("n3", 1))
    assert one.speedup == pytest.approx(60 / 90)


def test_gang_on_seats_of_several_others_starts_when_all_have_left():
    runs = [run("a", 0, 1, grace=30.0), run("b", 2, 3, grace=50.0)]

    first, second = placed(("g", (0, 2)), ("h", (1,)), runs=runs, changes={"a": (), "b": (3,)})

    assert (first.start, first.latest) == (NOW + 50, "n2")
    assert (second.start, second.latest) == (NOW + 30, "n1")


@pytest.mark.parametrize(("graces", "want"), [((50.0, 30.0), "n0"), ((30.0, 30.0), "n2")], ids=["last", "fastest"])
def test_node_that_has_room_last_is_named_and_of_several_the_fastest_one(graces, want):
    runs = [run(name, node, grace=grace) for name, node, grace in zip("ab", (0, 2), graces, strict=True)]

    [one] = placed(("g", (0, 2)), runs=runs, changes={"a": (1,), "b": (3,)})

    assert one.latest == want


def test_room_that_one_gang_takes_is_not_free_for_the_next_one():
    shrinks = run("a", 0, 2, grace=30.0)

    first, second = placed(("g", (0,)), ("h", (0,)), runs=[shrinks], changes={"a": (2,)}, free=(0,))

    assert (first.start, second.start) == (NOW, NOW + 30)


def test_resource_that_no_member_takes_may_be_overcommitted():
    waits = gang("g", serial=60, size=1, request=(1, 0), created=NOW)
    facts = snapshot([node("n0", free=(1, -1))], [waits], resources=("slots", "cpu"))

    [one] = placements(facts, SizePlan((), (SizedStart(KEY, (0,), NOW + 60.0),)), ())

    assert one.start == NOW


@pytest.mark.parametrize(
    ("promised", "want"), [(NOW + 300, NOW + 150), (NOW + 60, NOW + 60), (NOW, NOW + 150), (NOW - 9, NOW + 150)]
)
def test_promise_stays_and_the_gang_starts_by_it_if_it_is_still_to_come(promised, want):
    shrinks = run("a", 0, 1, grace=150.0)

    [one] = placed(("g", (1,)), runs=[shrinks], changes={"a": (0,)}, promised=promised)

    assert (one.promised, one.start, one.finish) == (promised, want, want + 60)


def test_gang_that_grows_to_faster_nodes_leaves_seats_too():
    moves = replace(run("a", 0, grace=30.0), sizes=Sizes(minimum=1, maximum=2))

    [one] = placed(("g", (0,)), runs=[moves], changes={"a": (1, 2)}, free=(1, 2))

    assert (one.start, one.latest) == (NOW + 30, "n0")
