"""An observer of a plan hears all that was considered for each gang, then what was decided."""

import numpy as np
import pytest

from coschedule.queue.plan import plan
from coschedule.queue.problem.gangs import Load
from engine.builders import NOW, gang, node, snapshot


class Listener:
    """Keeps what it hears, by gang."""

    def __init__(self):
        self.considered_runs = {}
        self.decisions = []

    def considered(self, one, runs):
        assert runs.finish.shape == (len(runs.start), len(runs.size))
        assert len(runs.slowdown) == len(runs.start)
        self.considered_runs.setdefault(one.key.name, []).append(runs)

    def decided(self, one, decision):
        self.decisions.append((one.key.name, decision))


def heard_of(nodes, *gangs):
    listener = Listener()
    made = plan(snapshot(nodes, gangs), observer=listener)
    assert [decision for _, decision in listener.decisions] == list(made.decisions)
    return listener


CLUSTER = [node("n1", slowdown=2.0), node("n2"), node("n3"), node("n4", start=NOW + 2), node("n5", until=NOW + 3)]


def test_observer_hears_every_decision_in_order():
    heard = heard_of(CLUSTER, gang("a", serial=1), gang("b", size=9))

    assert [name for name, _ in heard.decisions] == ["a", "b"]


@pytest.mark.parametrize("load", [Load.EQUAL, Load.PROPORTIONAL, Load.PIECES])
def test_choice_is_the_best_of_all_that_was_considered(load):
    pieces = 12 if load is Load.PIECES else None
    heard = heard_of(CLUSTER, gang("a", size=1, most=5, serial=12, load=load, pieces=pieces))

    [(_, placement)] = heard.decisions
    runs = heard.considered_runs["a"]
    assert min(float(one.finish.min()) for one in runs) == placement.finish
    assert any(is_among(placement, one) for one in runs)


def is_among(placement, runs):
    at = np.argwhere(runs.finish == placement.finish)
    return any((runs.start[q], runs.size[p]) == (placement.start, placement.size) for q, p in at)


def test_size_without_enough_places_never_ends():
    heard = heard_of(CLUSTER[:3], gang("a", size=1, most=5, serial=12))

    for runs in heard.considered_runs["a"]:
        assert np.isinf(runs.finish[:, runs.size > 3]).all()


def test_gang_that_is_refused_has_had_its_chances():
    heard = heard_of(CLUSTER, gang("a", size=3, serial=12, deadline=NOW + 1))

    assert min(float(one.finish.min()) for one in heard.considered_runs["a"]) > NOW + 1
