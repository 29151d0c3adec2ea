"""Queues of several groups that live: promises bind, and no gang starves."""

from itertools import count

import pytest

from coschedule.queue.problem.fair_shares import FairShares, ShareGroup
from coschedule.queue.problem.promise_kinds import Promises
from engine.builders import NOW, gang, node, seeded
from engine.queue.promises.histories import live, random_nodes
from engine.queue.shares.shared_histories import NAMES, SharedHistory, of, shares


def test_group_with_less_use_starts_before_kept_places_of_another():
    """The other group's queue is far longer than a front, and each of its gangs has a place; slack lets them move."""
    history = SharedHistory([node("n0", free=4)], shares(("a", 1.0, 500.0), ("b", 1.0, 0.0)))
    for number in range(20):
        history.submit(of("a", gang(f"a{number:02}", size=4, serial=400)))
    history.decide()
    for number in range(20):
        history.submit(of("b", gang(f"b{number:02}", size=4, serial=4)))
    history.decide()

    for _ in range(7):
        history.go_to(history.next_end())
        history.decide()

    assert [name[0] for name in list(history.started)[1:7]] == ["b"] * 6


@pytest.mark.parametrize("promises", [Promises.SLACK, Promises.CONSERVATIVE])
@pytest.mark.parametrize("seed", range(4))
def test_promises_bind_and_every_gang_starts(seed, promises):
    rnd = seeded(seed)
    history = SharedHistory(random_nodes(rnd), shares(("a", 1.0, 90.0), ("b", 4.0, 0.0), capacity=(8,)), promises)
    for _ in live(history, rnd):
        pass

    assert len(history.started) == 14
    for name, given in history.promised.items():
        assert history.started[name] <= given[0]


def test_gang_of_a_group_that_used_most_starts_among_others_that_never_cease():
    history = SharedHistory([node(f"n{number}") for number in range(4)], shares(("a", 0.5, 90.0), ("b", 2.0, 0.0)))
    for number in range(28):
        if number == 4:
            history.submit(of("a", gang("wide", size=4, serial=80)))
        history.submit(of("b", gang(f"s{number:03}", serial=10)))
        history.decide()
        until = history.now + 3.0
        while history.now < until:
            history.go_to(until)
            history.decide()

    assert history.started["wide"] <= history.promised["wide"][0]


def test_gang_of_a_group_that_used_most_starts_though_the_queue_of_another_is_never_empty():
    """More gangs of the other group wait than are planned in front, and each that starts is followed by another."""
    history = SharedHistory([node(f"n{number}") for number in range(4)], shares(("a", 1.0, 200.0), ("b", 2.0, 0.0)))
    history.submit(of("a", gang("wide", size=4, serial=80)))
    numbers = count()
    while "wide" not in history.started:
        while len(history.waiting) < 20:
            history.submit(of("b", gang(f"s{next(numbers):03}", serial=40)))
        history.decide()
        history.go_to(history.next_end())
        assert history.now < NOW + 1000

    others = [name for name in history.started if name != "wide"]
    assert len(others) > 20, "the other group had all nodes until it had used as much for its weight"


@pytest.mark.parametrize("promises", [Promises.SLACK, Promises.CONSERVATIVE])
@pytest.mark.parametrize("seed", range(4))
def test_promises_bind_and_every_gang_starts_though_groups_come_and_go(seed, promises):
    rnd = seeded(seed)
    history = SharedHistory(random_nodes(rnd), random_groups(rnd, {}), promises)
    for _ in live(history, rnd):
        history.shares = random_groups(rnd, {one.name: one.used for one in history.shares.groups})

    assert len(history.started) == 14
    for name, given in history.promised.items():
        assert history.started[name] <= given[0]


def random_groups(rnd, used):
    """Groups of some names and weights, with the namespaces dealt among them. Those that were there have their use."""
    names = rnd.sample("vwxyz", rnd.randint(1, 4))
    of_group = {name: [] for name in names}
    for namespace in NAMES:
        of_group[rnd.choice(names)].append(namespace)
    made = [
        ShareGroup(name=name, weight=rnd.choice([1.0, 3.0, 100.0]), used=used.get(name, 0.0), namespaces=tuple(its))
        for name, its in of_group.items()
    ]
    return FairShares(groups=(*made, ShareGroup(name="others", used=used.get("others", 0.0))), capacity=(8,))
