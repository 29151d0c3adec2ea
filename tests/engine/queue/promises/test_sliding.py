"""What starts a little late moves what follows it by as little, and takes no place away; by hand."""

from dataclasses import replace

import pytest

from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import Kept, Load, Seat
from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import NOW, gang, node, release, role, seeded, snapshot
from engine.queue.promises.histories import History, random_gang, random_nodes

FRONT = 16


def kept_on(one, start, finish, *nodes, promised):
    """A gang with a member on each of these nodes, planned and promised before; times are seconds from now."""
    seats = tuple(Seat(index, 1) for index in nodes)
    kept = Kept(start=NOW + start, finish=NOW + finish, seats=(seats,))
    return replace(one, kept=kept, promised=NOW + promised)


def starts(facts):
    return {one.gang.name: round(one.start - NOW, 3) for one in plan(facts).decisions}


def facts_of(gangs, nodes, **how):
    return replace(snapshot(nodes, gangs, **how), promises=Promises.SLACK)


def chain(slip):
    """Three gangs that follow each other on two nodes; what runs there ends so much later than planned."""
    names = ("a", "b", "c")
    gangs = [
        kept_on(gang(name, size=2, times=[99, 20], created=float(number)), 10 + 20 * number, 30 + 20 * number, 0, 1,
                promised=20 + 20 * number)
        for number, name in enumerate(names)
    ]  # fmt: skip
    busy = [node("n0", free=0), node("n1", free=0)]
    return facts_of(gangs, busy, releases=[release(0, NOW + 10 + slip), release(1, NOW + 10 + slip)])


@pytest.mark.parametrize("slip", [0.005, 0.3, 9.0])
def test_all_that_follow_what_ends_later_slide_by_as_much(slip):
    assert starts(chain(slip)) == {"a": 10 + slip, "b": 30 + slip, "c": 50 + slip}


def test_who_was_to_start_just_now_starts_now_and_the_next_one_behind_it():
    first = kept_on(gang("first", times=[8], created=0.0), -0.005, 7.995, 0, promised=4)
    second = kept_on(gang("second", times=[15], created=1.0), 7.995, 22.995, 0, promised=15)
    third = kept_on(gang("third", times=[15], created=2.0), 22.995, 37.995, 0, promised=30)

    assert starts(facts_of([first, second, third], [node("n0")])) == {"first": 0.0, "second": 8.0, "third": 23.0}


def test_one_that_comes_too_late_gives_way_where_others_could_not_keep_their_promise():
    late = kept_on(gang("late", times=[8], created=0.0), -10, -2, 0, promised=100)
    tight = [
        kept_on(gang(f"t{number}", times=[20], created=1.0 + number), 20 * number, 20 + 20 * number, 0,
                promised=4 + 20 * number)
        for number in range(3)
    ]  # fmt: skip

    assert starts(facts_of([late, *tight], [node("n0")])) == {"t0": 0.0, "t1": 20.0, "t2": 40.0, "late": 60.0}


def test_places_that_were_promised_at_different_times_slide_past_each_other():
    one = kept_on(gang("one", times=[17], created=0.0), 20, 37, 0, promised=30)
    other = kept_on(gang("other", times=[8], created=1.0), 35, 43, 0, promised=78)

    promises = starts(facts_of([one, other], [node("n0", free=0)], releases=[release(0, NOW + 20)]))

    assert promises in ({"one": 20.0, "other": 37.0}, {"one": 28.0, "other": 20.0})


def test_gang_whose_promise_cannot_be_kept_otherwise_goes_before_one_that_runs_for_ever():
    years = kept_on(gang("years", times=[1e9], created=50.0), 10, 10 + 1e9, 0, promised=5e8)
    waiting = kept_on(gang("waiting", times=[20], created=1.0), 5, 25, 0, promised=24)

    promises = starts(facts_of([years, waiting], [node("n0", free=0)], releases=[release(0, NOW + 10)]))

    assert promises["waiting"] <= 24
    assert promises["years"] <= 5e8


@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"times": [9.6]}, id="plain"),
        pytest.param({"times": [9.6], "deadline": NOW + 60}, id="with a deadline"),
        pytest.param({"times": [9.6], "roles": True}, id="of two roles"),
    ],
)
def test_place_that_is_a_little_short_is_not_lost_by_a_search_for_an_earlier_one(how):
    roles = [role("l", load=Load.NONE, request=(1,)), role("w", request=(1,))] if how.pop("roles", False) else None
    each = len(roles or [None])
    kept = Kept(start=NOW + 10, finish=NOW + 19, seats=((Seat(0, 1),),) * each)
    one = gang("one", created=1.0, promised=NOW + 10, **({"roles": roles} if roles else {}), **how)
    behind = kept_on(gang("behind", times=[100], created=0.0), 19, 119, 0, promised=19)
    nodes = [node("n0", free=0), node("n1", free=each, until=NOW + 5)]

    promises = starts(facts_of([replace(one, kept=kept), behind], nodes, releases=[release(0, NOW + 10, each)]))

    assert promises == {"one": 10.0, "behind": 19.0}


def test_place_that_is_a_little_short_does_not_keep_a_gang_from_starting_now():
    times = [float("inf")] * 9 + [99.8]
    waiting = [gang(f"f{number:02}", times=[5], created=float(number), request=(20,)) for number in range(FRONT)]
    one = gang("one", size=10, times=times, member_price=5.0, created=500.0, promised=NOW + 100)
    one = replace(one, kept=Kept(start=NOW + 40, finish=NOW + 139, seats=((Seat(1, 10),),)))

    promises = starts(
        facts_of([*waiting, one], [node("n0", free=0), node("n1", free=10)], releases=[release(0, NOW + 500, 20)])
    )

    assert promises["one"] == 0.0


@pytest.mark.parametrize("amount", [2**52, 2**61])
def test_what_is_kept_never_takes_more_than_can_be_counted(amount):
    seats = (Seat(0, 2**12),)
    one = gang("one", size=2**12, times=[5.0] * 2**12, request=(amount,), promised=NOW + 50)
    one = replace(one, kept=Kept(start=NOW, finish=NOW + 5, seats=(seats,)))
    facts = facts_of([one], [node("n0", free=10)])

    assert [getattr(decision, "start", None) for decision in plan(facts).decisions] == [None]


@pytest.mark.parametrize("seed", range(12))
def test_no_promise_is_moved_by_delays_of_milliseconds(seed):
    """Starts, ends and plans come some milliseconds after their time."""
    rnd = seeded(seed)
    slips = {f"g{number:02}": rnd.choice([0.0, 0.003, 0.02]) for number in range(20)}
    history = History(random_nodes(rnd), Promises.SLACK, late=slips.__getitem__)
    for number in range(20):
        history.submit(random_gang(rnd, number))
        for _ in range(3):
            history.decide()
            history.go_to(history.now + rnd.choice([0.004, 1.0, 20.0]))
    while history.running or history.waiting:
        facts, made = history.decide()
        assert remembering(facts, facts, made)
        history.go_to(history.next_end() + 0.002)

    for name, promises in history.promised.items():
        assert max(promises) <= promises[0] + 1.0
        assert history.started[name] <= promises[0] + 1.0


def test_gang_that_may_not_be_interrupted_slides_into_no_hour_in_which_an_owner_may_come_back():
    one = kept_on(gang("one", times=[100], created=0.0), 100, 200, 0, promised=140)
    ends = [release(0, NOW + 130), release(1, NOW + 300)]

    def start_if_the_owner_may_be_back_from(time):
        hours = {"edges": (NOW, NOW + time, NOW + 1000), "returns": ((0.0, 0.5), (0.0, 0.0))}
        facts = facts_of([one], [node("n0", free=0), node("n1", free=0)], releases=ends, **hours)
        return starts(facts)["one"]

    assert start_if_the_owner_may_be_back_from(230) == 130
    assert start_if_the_owner_may_be_back_from(220) == 300
