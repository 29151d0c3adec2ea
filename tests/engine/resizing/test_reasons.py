"""Why gangs of known end change their size: the first reason that holds, by brute force and in whole choices."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coschedule.model.run_times import SerialWork, TimesWork
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.problem.gangs import GangKey
from coschedule.queue.problem.nodes import Release
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.size_change import OwnerReturn, SizeReason, SlowNode
from coschedule.queue.problem.sizes import Sizes
from coschedule.resizing.gangs.elastic_run import ElasticRun
from coschedule.resizing.gangs.sized_run import ChangeTerms, FixedMembers, SeatKind
from coschedule.resizing.reasons import Takers, with_reason
from coschedule.resizing.resize import resize
from engine.builders import NOW, gang, node, snapshot

TERMS = ChangeTerms(restart_time=120.0, min_interval=600.0)
SHORT = gang("short", serial=60, size=1, most=2, created=NOW)
DUE = gang("due", serial=4_000_000, size=3, created=NOW, promised=NOW)
HOUR = 3600.0


def run(*nodes, name="run", work=80_000.0, most=4, **more):
    """Describe a gang that runs on these nodes; ``work`` are serial seconds, or the times of all sizes."""
    law = SerialWork(serial=work) if isinstance(work, float) else TimesWork(times=work)
    described = {"end": NOW + law.float_time(len(nodes)), "sizes": Sizes(minimum=1, maximum=most), "terms": TERMS}
    return ElasticRun(
        key=GangKey("default", name), created=NOW, request=(1,), work=law, left=1.0, nodes=nodes, **described | more
    )


def seen(runs, *gangs, more=0, nodes=(), **facts):
    """The snapshot of runs that fill their nodes, beside ``more`` idle nodes; ``nodes`` are facts by index."""
    known, held = dict(nodes), {index for one in runs for index in one.nodes}
    count = max(held) + 1 + more
    described = [node(f"n{index}", free=int(index not in held), **known.get(index, {})) for index in range(count)]
    releases = [Release(node=index, request=(1,), time=one.end) for one in runs for index in one.nodes]
    return snapshot(described, gangs, releases=releases, **facts)


def changes(runs, *gangs, **facts):
    return {one.gang.name: one for one in resize(seen(runs, *gangs, **facts), runs, {SHORT.key: TERMS}).sizes.changes}


def test_owner_returns_to_a_node_before_the_end_that_the_gang_had():
    closing = {3: {"until": NOW + 2 * HOUR}, 1: {"until": NOW + HOUR}}
    change = changes([run(0, 1, 2, 3)], SHORT, nodes=closing)["run"]

    assert (change.because, change.nodes) == (SizeReason.OWNER_RETURNS, (0, 2))
    assert change.leaves == OwnerReturn("n1", NOW + HOUR, is_forecast=False)
    assert change.made_for is None


@pytest.mark.parametrize(
    ("returns", "want"),
    [
        pytest.param(
            [0.4, 0.4, 0.0], OwnerReturn("n3", NOW + 2 * HOUR, is_forecast=True), id="likely within two hours"
        ),
        pytest.param([0.5, 0.0, 0.0], OwnerReturn("n3", NOW + HOUR, is_forecast=True), id="even odds"),
        pytest.param([0.2, 0.2, 0.2], None, id="unlikely"),
        pytest.param([0.0, 0.0, 0.0, 0.0, 0.0, 1.0], None, id="likely after the end"),
    ],
)
def test_owner_is_likely_to_return_by_a_forecast(returns, want):
    edges = [NOW + hour * HOUR for hour in range(len(returns) + 1)]
    facts = {"edges": edges, "returns": [[0.0] * len(returns)] * 3 + [returns]}

    change = changes([run(0, 1, 2, 3)], replace(SHORT, interruptible=Interruptible.FREELY), **facts)["run"]

    assert change.leaves == want
    assert change.because is (SizeReason.WAITING_GANG if want is None else SizeReason.OWNER_RETURNS)


def test_gang_leaves_its_slowest_node():
    change = changes([run(0, 1, 2, end=NOW + 80_000.0)], nodes={1: {"slowdown": 3.0}})["run"]

    assert (change.because, change.nodes) == (SizeReason.SLOW_NODE, (0, 2))
    assert change.leaves == SlowNode("n1", 3.0, "n0")


@pytest.mark.parametrize("waits", [SHORT, DUE], ids=["it is worth it", "its promise is due"])
def test_gang_that_waits_starts_on_the_nodes(waits):
    change = changes([run(0, 1, 2, 3)], waits)["run"]

    assert (change.because, change.made_for, change.leaves) == (SizeReason.WAITING_GANG, waits.key, None)


def test_gang_that_takes_no_part_in_the_choice_starts_on_the_nodes_by_the_plan():
    due = gang("due", serial=4_000_000, size=1, created=NOW, promised=NOW)
    planned = gang("planned", serial=400_000, size=2, created=NOW, promised=NOW, deadline=NOW + 1e9)
    runs = [run(0, 1, 2, 3)]

    result = resize(seen(runs, planned, due), runs, {})

    [change] = result.sizes.changes
    assert ([one.gang.name for one in result.sizes.starts], len(change.nodes)) == ([], 1)
    assert (change.because, change.made_for in {planned.key, due.key}) == (SizeReason.WAITING_GANG, True)


def test_other_running_gang_gains_more():
    found = changes([run(0, 1, 2, 3, work=4_000_000.0), run(4, name="ends", work=8_000.0)])

    assert {name: one.because for name, one in found.items()} == {
        "run": SizeReason.OTHER_GANGS,
        "ends": SizeReason.ROOM_FREE,
    }


def test_room_is_free():
    change = changes([run(0, 1)], more=2)["run"]

    assert (change.because, change.nodes, change.leaves) == (SizeReason.ROOM_FREE, (0, 1, 2, 3), None)


def test_earlier_plan_was_wrong_if_the_gang_is_now_expected_to_be_faster_with_fewer_members():
    change = changes([run(0, 1, 2, 3, work=(80_000.0, 40_000.0, 60_000.0, 80_000.0))])["run"]

    assert (change.because, change.nodes) == (SizeReason.EARLIER_PLAN, (0, 1))
    assert change.end < change.end_before


def test_size_that_is_asked_for_is_the_first_reason():
    change = changes([run(0, 1, 2, 3, asked=2)], nodes={3: {"until": NOW + HOUR}})["run"]

    assert (change.because, change.leaves) == (SizeReason.ASKED, None)


def test_node_on_which_a_member_stays_is_not_left():
    one = run(0, 0, 1)
    facts = snapshot([node("n0", until=NOW + HOUR, slowdown=3.0), node("n1")], [])

    made = with_reason(one, one.change_to((0, 1), one.end + 1), facts, Takers({}, frozenset({0})))

    assert made.because is SizeReason.OTHER_GANGS


def test_node_of_a_fixed_member_that_works_keeps_the_gang_slow():
    seat = SeatKind(Constraints(), (1,))
    facts = snapshot([node("n0", until=NOW + HOUR, slowdown=3.0), node("n1"), node("n2", slowdown=2.0)], [])
    for is_work, want in ((True, SizeReason.EARLIER_PLAN), (False, SizeReason.SLOW_NODE)):
        one = run(1, 2, fixed=(FixedMembers(seat, (0,), is_work),))
        assert with_reason(one, one.change_to((1,), one.end - 1), facts, Takers({}, frozenset())).because is want


CLOSES = st.sampled_from([math.inf, NOW + HOUR, NOW + 10 * HOUR])
COUNT = 6
ORDER = (
    SizeReason.OWNER_RETURNS,
    SizeReason.SLOW_NODE,
    SizeReason.WAITING_GANG,
    SizeReason.OTHER_GANGS,
    SizeReason.ROOM_FREE,
)


def reasons_of(one, change, cluster, starts, grow):
    """All reasons that hold, each asked for node by node."""
    left = [index for index in range(COUNT) if index in one.nodes and index not in change.nodes]
    given = [index for index in range(COUNT) if one.nodes.count(index) > change.nodes.count(index)]
    before, after = (max(cluster[index]["slowdown"] for index in nodes) for nodes in (one.nodes, change.nodes))
    is_smaller = len(change.nodes) < len(one.nodes)
    holds = {
        SizeReason.OWNER_RETURNS: any(cluster[index]["until"] < one.end for index in left),
        SizeReason.SLOW_NODE: before > after and change.end < one.end,
        SizeReason.WAITING_GANG: is_smaller and any(index in starts for index in given),
        SizeReason.OTHER_GANGS: is_smaller and any(index in grow for index in given),
        SizeReason.ROOM_FREE: any(change.nodes.count(index) > one.nodes.count(index) for index in range(COUNT)),
    }
    return [reason for reason in ORDER if holds[reason]]


@given(
    before=st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=5),
    after=st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=5),
    nodes=st.lists(st.tuples(CLOSES, st.sampled_from([1.0, 1.5, 2.0])), min_size=COUNT, max_size=COUNT),
    starts=st.sets(st.integers(0, COUNT - 1)),
    grow=st.sets(st.integers(0, COUNT - 1)),
    later=st.sampled_from([-60, 0, 60]),
)
def test_reason_is_the_first_that_holds(before, after, nodes, starts, grow, later):
    if len(before) == len(after) or (len(after) < len(before) and not all(map(before.__contains__, after))):
        return  # No change, or a shrink that moves members, which is never chosen.
    if any(after.count(index) > before.count(index) for index in after) and len(after) < len(before):
        return
    cluster = [node(f"n{index}", until=until, slowdown=pace) for index, (until, pace) in enumerate(nodes)]
    one = run(*before, most=5, end=NOW + 5 * HOUR)
    change = one.change_to(after, one.end + later)

    takers = Takers(dict.fromkeys(starts, SHORT.key), frozenset(grow))
    made = with_reason(one, change, snapshot(cluster, []), takers)

    hold = reasons_of(one, change, cluster, starts, grow)
    assert made.because is (hold[0] if hold else SizeReason.EARLIER_PLAN)
    assert (made.made_for is not None) == (made.because is SizeReason.WAITING_GANG)
    assert (made.leaves is not None) == (made.because in ORDER[:2])
    assert made._replace(because=change.because, made_for=None, leaves=None) == change


@given(data=st.data())
def test_earlier_plan_is_wrong_only_if_fewer_members_are_faster_or_a_promise_is_due(data):
    """All other changes have one of the other reasons, in whole choices of sizes."""
    runs, free = [], 0
    for name in ("a", "b"):
        size = data.draw(st.integers(1, 3))
        times = tuple(data.draw(st.sampled_from([4_000.0, 20_000.0, 50_000.0, 300_000.0])) for _ in range(4))
        runs.append(run(*range(free, free + size), name=name, work=times))
        free += size
    more = data.draw(st.integers(0, 2))
    paces = [{"slowdown": data.draw(st.sampled_from([1.0, 1.0, 2.0])), "until": data.draw(CLOSES)} for _ in range(8)]
    runs = [
        replace(one, end=NOW + (one.end - NOW) * max(paces[index]["slowdown"] for index in one.nodes)) for one in runs
    ]
    waits = data.draw(
        st.lists(st.sampled_from([SHORT, replace(DUE, promised=math.inf), DUE]), max_size=2, unique_by=id)
    )
    waits = waits if len({one.key for one in waits}) == len(waits) else waits[:1]

    result = resize(seen(runs, *waits, more=more, nodes=enumerate(paces)), runs, {SHORT.key: TERMS})

    for change in result.sizes.changes:
        if change.because is SizeReason.EARLIER_PLAN:
            assert change.size_after < change.size_before
            assert change.end < change.end_before or DUE in waits
