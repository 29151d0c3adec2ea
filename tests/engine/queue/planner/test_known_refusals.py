"""Gangs that ask for the same of the same nodes are checked once; one that differs in anything is checked too."""

import math
from dataclasses import fields, replace

import pytest

from coschedule.model.kinds import KindFactor
from coschedule.model.run_times import SerialWork
from coschedule.queue.plan import plan, plan_and_count
from coschedule.queue.planner.known_refusals import KnownRefusals
from coschedule.queue.problem.decisions import Unplaceable
from coschedule.queue.problem.gangs import GangKey, Kept, PendingGang, Seat
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.refusals import Reason
from coschedule.queue.search import effort
from engine.builders import FOUR, NOW, apart, gang, node, role, running, snapshot

PAIR = [role("a", size=2), role("b", size=3)]
BASE = gang("base", roles=PAIR, serial=100, interruptible=Interruptible.CHECKPOINTED, checkpoints=10.0)
"""Five members on four nodes."""

DIFFERENCES = {
    "priority": 1,
    "roles": (PAIR[0], replace(PAIR[1], sizes=replace(PAIR[1].sizes, minimum=2))),
    "work": SerialWork(serial=200),
    "deadline": NOW + 50,
    "member_price": 0.5,
    "not_before": NOW + 5,
    "may_hold": False,
    "held": (1,),
    "terms": (apart("a"),),
    "interruptible": Interruptible.NEVER,
    "checkpoint_interval": 20.0,
    "factors": (KindFactor(0, 2.0),),
}
"""For each field that a refusal follows from another value than that of ``BASE``."""
CHANGED_TOO = {"interruptible": {"checkpoint_interval": math.inf}}

INDIFFERENT = {
    "key": GangKey("default", "other"),
    "created": 5.0,
    "queued_since": 5.0,
    "promised": NOW + 5,
    "kept": Kept(start=NOW, finish=NOW + 9, seats=((Seat(0, 2),), (Seat(1, 3),))),
    "lost_place": True,
    "may_preempt": True,
    "awaits": NOW + 5,
    "requested": NOW - 5,
}
"""For each field that changes when a gang that fits would start, or what it may do, but not whether it fits."""


def refusals_found(monkeypatch):
    """Keep what planners find in their memory, in order."""
    found = []

    def of(self, one, original=KnownRefusals.of):
        found.append(original(self, one))
        return found[-1]

    monkeypatch.setattr(KnownRefusals, "of", of)
    return found


def test_every_field_of_a_gang_is_known_to_matter_or_not():
    names = {field.name for field in fields(PendingGang)}

    assert names == DIFFERENCES.keys() | INDIFFERENT.keys()
    assert not DIFFERENCES.keys() & INDIFFERENT.keys()


@pytest.mark.parametrize("name", DIFFERENCES)
def test_gang_that_differs_in_what_it_asks_for_is_not_known(name):
    known = KnownRefusals(timeline=object(), without_end=object())
    [refused] = plan(snapshot(FOUR, [BASE])).decisions

    known.remember(BASE, refused)

    other = GangKey("default", "other")
    assert known.of(replace(BASE, key=other)) == replace(refused, gang=other)
    assert known.of(replace(BASE, **{name: DIFFERENCES[name]} | CHANGED_TOO.get(name, {}))) is None


@pytest.mark.parametrize("name", INDIFFERENT)
def test_gang_that_asks_for_the_same_is_known(name):
    known = KnownRefusals(timeline=object(), without_end=object())
    [refused] = plan(snapshot(FOUR, [BASE])).decisions

    known.remember(BASE, refused)

    same = replace(BASE, **{name: INDIFFERENT[name]})
    assert known.of(same) == replace(refused, gang=same.key)


def test_three_hundred_equal_gangs_cost_as_many_steps_as_one():
    equal = [replace(BASE, key=GangKey("default", f"g{number:03}"), created=number) for number in range(300)]

    one, all_of_them = plan_and_count(snapshot(FOUR, equal[:1])), plan_and_count(snapshot(FOUR, equal))

    assert all_of_them.steps == one.steps > 0
    assert {each.refusal for each in all_of_them.plan.decisions} == {one.plan.decisions[0].refusal}


def test_what_is_claimed_between_two_equal_gangs_has_the_second_checked_itself(monkeypatch):
    found = refusals_found(monkeypatch)
    runs = [running("r", 3)]
    gangs = [
        gang("a", size=2, created=0.0, not_before=NOW + 1, may_hold=False),
        gang("b", size=4, created=1.0, may_hold=False),
        gang("c", size=1, created=2.0),
        gang("d", size=4, created=3.0, may_hold=False),
        gang("e", size=4, created=4.0, may_hold=False),
    ]

    decisions = {
        one.gang.name: one for one in plan(snapshot([*FOUR[:3], node("n4", free=0)], gangs, runs=runs)).decisions
    }

    assert [one is not None for one in found] == [False, False, False, False, True]
    assert decisions["d"].refusal == decisions["e"].refusal


def test_gang_that_holds_nodes_leaves_less_to_the_next_that_asks_for_the_same():
    nodes = [node("n1", free=0, someday=(1,)), node("n2", free=0, someday=(1,))]
    gangs = [gang(name, size=2, created=index) for index, name in enumerate("abc")]

    held, *others = plan(snapshot(nodes, gangs, most_holding=2)).decisions

    assert held.hold is not None
    assert [(one.hold, one.reason) for one in others] == [(None, Reason.NOT_ENOUGH_ROOM)] * 2


def test_refusal_for_which_not_everything_was_checked_is_not_remembered(monkeypatch):
    monkeypatch.setattr(effort, "MOST_COMBINATIONS", 1)
    found = refusals_found(monkeypatch)
    gangs = [gang(name, roles=PAIR, terms=[apart("a", "b")], created=index) for index, name in enumerate("ab")]

    decisions = plan(snapshot(FOUR, gangs)).decisions

    assert all(isinstance(one, Unplaceable) for one in decisions)
    assert found == [None, None]
