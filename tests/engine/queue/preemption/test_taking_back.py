"""Groups that hold less than their shares take back what others have borrowed: examples, brute force, histories."""

import math
from fractions import Fraction

import pytest

from coschedule.queue.plan import plan
from coschedule.queue.preemption import preempt as preempting
from coschedule.queue.preemption.preempt import preempt
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.size_change import SizeReason
from engine.brute.preemption import preemptor_and_victims
from engine.builders import NOW, seeded
from engine.queue.preemption.shared_nodes import NAMES, borrower, elastic, shared, waiting


def gave_way(facts):
    """List for each gang who gives way: 0 if it is evicted, else with how many members it goes on."""
    found = preempt(facts, plan(facts)).preemptions
    return {one.gang.name: dict(left(one)) for one in found}


FULL = [borrower("w", 0, 1), borrower("x", 2, 3), borrower("y", 4, 5)]


@pytest.mark.parametrize(
    ("gangs", "runs", "facts", "want"),
    [
        pytest.param([waiting(size=2)], FULL, {}, {"hot": {"w": 0}}, id="a group below its share takes back"),
        pytest.param([waiting(size=2)], FULL, {"reclaims": False}, {}, id="no gang is evicted unless groups say so"),
        pytest.param(
            [waiting(size=2)],
            [elastic("w", 0, 1, 2, 3, 4, 5)],
            {"reclaims": False},
            {"hot": {"w": 4}},
            id="elastic gangs shrink by default, as far as needed",
        ),
        pytest.param(
            [waiting(size=5)],
            [elastic("w", 0, 1, 2, 3, 4, 5)],
            {},
            {},
            id="a group keeps its share, also if its gang could be smaller",
        ),
        pytest.param(
            [waiting(size=2)],
            [elastic("w", 0, 1, 2, 3, 4, 5, least=5)],
            {"reclaims": False},
            {},
            id="not below its sizes",
        ),
        pytest.param([waiting(size=6)], FULL, {}, {}, id="gangs of two nodes each leave no six"),
        pytest.param([waiting(size=2)], FULL, {"used": (20.0, 10.0, 0.0)}, {}, id="not for a group that has used more"),
        pytest.param([waiting(size=2, priority=-1)], FULL, {}, {}, id="never a gang of higher priority"),
        pytest.param([waiting(size=2, may_preempt=False)], FULL, {}, {}, id="not for a gang that may not preempt"),
        pytest.param(
            [waiting(size=2)],
            [borrower("w", 0, 1, group="a"), borrower("x", 2, 3), borrower("y", 4, 5)],
            {},
            {},
            id="not for a group that holds its share",
        ),
        pytest.param(
            [waiting("first", size=2), waiting("second", size=2, created=1.0)],
            FULL,
            {"used": (0.0, 1e9, 1e9)},
            {"first": {"w": 0}},
            id="what comes for one gang counts when the next one asks",
        ),
        pytest.param(
            [waiting(size=2, priority=1)],
            [
                borrower("w", 0, 1),
                borrower("x", 2, 3, priority=1, since=NOW),
                borrower("y", 4, 5, priority=1, since=NOW),
            ],
            {},
            {"hot": {"w": 0}},
            id="by priority first, whatever it costs",
        ),
    ],
)
def test_one_takes_back(gangs, runs, facts, want):
    assert gave_way(shared(gangs, runs, **facts)) == want


def test_shrink_for_a_share_names_no_urgency():
    facts = shared([waiting(size=2)], [elastic("w", 0, 1, 2, 3, 4, 5)])

    [found] = preempt(facts, plan(facts)).preemptions

    assert [change.because for change in found.shrinks] == [SizeReason.FAIR_SHARE]
    assert [(one.gang.name, one.amounts) for one in found.reclaimed] == [("w", (2,))]


def test_gang_whose_group_was_charged_for_gangs_in_front_takes_nothing_from_groups_that_come_before_it():
    runs = [borrower("x", 1, 2), borrower("y", 3, 4)]
    first = waiting("first", size=1, created=-5.0)
    second = waiting("second", size=2)

    assert gave_way(shared([first, second], runs, used=(0.0, 13.0, 0.0), nodes=5)) == {"second": {"x": 0}}
    assert gave_way(shared([first, second], runs, used=(0.0, 11.0, 0.0), nodes=5)) == {}


def random_case(rnd):
    """All gangs that wait are of group a, so that their order is that of the queue."""
    nodes, runs, free = 5, [], rnd.sample(range(5), 5)
    while len(free) > rnd.choice([0, 0, 1]):
        taken = [free.pop() for _ in range(rnd.randint(1, min(3, len(free))))]
        more = {"priority": rnd.choice([0, 1, 1]), "since": NOW - rnd.choice([0, 10, 40]), "grace": rnd.choice([0, 5])}
        group, name = rnd.choice("abbbc"), f"r{len(runs)}"
        make = elastic if len(taken) > 1 and rnd.random() < 0.6 else borrower
        runs.append(make(name, *taken, group=group, end=rnd.choice([NOW + 100, math.inf]), **more))
    gangs = [waiting(f"g{n}", size=rnd.randint(1, 3), priority=rnd.choice([0, 1, 1]), created=n) for n in range(2)]
    used = (0.0, rnd.choice([20.0, 100.0]), rnd.choice([0.0, 50.0]))
    weights = tuple(rnd.choice([1.0, 2.0]) for _ in NAMES)
    return shared(gangs, runs, used=used, weights=weights, reclaims=rnd.random() < 0.5, nodes=nodes)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_taken_back_equals_exhaustive_search(seed, monkeypatch):
    monkeypatch.setattr(preempting, "MOST_PREEMPTIONS", 1)
    rnd, taken = seeded(seed), 0
    for _ in range(20):
        facts = random_case(rnd)
        found = preempt(facts, plan(facts)).preemptions
        want = preemptor_and_victims(facts, lambda *_: True)
        assert [(one.gang.name, sorted(left(one))) for one in found] == ([] if want is None else [want])
        taken += any(one.reclaimed for one in found)
    assert taken


def left(preemption):
    evicted = [(victim.name, 0) for victim in preemption.victims]
    return [*evicted, *((change.gang.name, len(change.nodes)) for change in preemption.shrinks)]


@pytest.mark.parametrize("seed", range(5))
def test_groups_never_take_the_same_nodes_in_turn_and_none_falls_below_its_share(seed):
    rnd = seeded(seed)

    assert sum(takings_until_the_end(rnd, waiting_gangs=10) for _ in range(10)) > 10


def takings_until_the_end(rnd, *, waiting_gangs):
    """Plan and carry out, while no gang ends, until nothing changes; return how often a group has taken back."""
    weights = tuple(rnd.choice([1.0, 2.0, 3.0]) for _ in NAMES)
    used = (0.0, rnd.choice([60.0, 100.0]), rnd.choice([10.0, 80.0]))
    waits = [random_waiting(rnd, number) for number in range(waiting_gangs)]
    runs, takings = full_of_borrowers(rnd, 8), 0
    for _ in range(waiting_gangs * 3):
        facts = shared(waits, runs, used=used, weights=weights, nodes=8)
        made = preempt(facts, plan(facts))
        starts = [one for one in made.plan.decisions if isinstance(one, Placement) and one.start <= NOW]
        if not starts and not made.preemptions:
            assert takings <= waiting_gangs
            return takings
        gone = {victim for one in made.preemptions for victim in one.victims}
        takings += len(made.preemptions)
        stay = [run for run in runs if run.key not in gone]
        assert_shares_are_kept(facts, stay, gone)
        by_key = {one.key: one for one in waits}
        waits = [one for one in waits if one.key not in {start.gang for start in starts}]
        waits += [again(run) for run in runs if run.key in gone]
        runs = stay + [started(facts, by_key[one.gang], one) for one in starts]
    pytest.fail("groups take from each other for ever")


def random_waiting(rnd, number):
    return waiting(f"g{number}", group=rnd.choice(NAMES), size=rnd.randint(1, 3), created=float(number), may_hold=False)


def full_of_borrowers(rnd, nodes):
    """Let gangs of group b, or sometimes c, hold all nodes."""
    runs, free = [], list(range(nodes))
    while free:
        taken = [free.pop() for _ in range(min(rnd.randint(1, 3), len(free)))]
        runs.append(borrower(f"r{len(runs)}", *taken, group=rnd.choice("bbbc"), since=NOW - rnd.randint(1, 9)))
    return runs


def again(run):
    """Describe an evicted gang that waits, with its age."""
    return waiting(run.key.name, group=run.key.namespace, size=run.size, created=run.queued_since, may_hold=False)


def started(facts, one, placement):
    nodes = [facts.nodes.names.index(entry.node) for entry in placement.members]
    return borrower(one.key.name, *nodes, group=one.key.namespace, queued_since=one.created, since=NOW - len(nodes))


def assert_shares_are_kept(facts, runs, gone):
    """What groups of evicted gangs still hold is their share, or more."""
    weights = {group.name: Fraction(group.weight) for group in facts.shares.groups}
    for group in {key.namespace for key in gone}:
        held = sum(run.size for run in runs if run.key.namespace == group)
        assert held >= weights[group] / sum(weights.values()) * facts.shares.capacity[0]
