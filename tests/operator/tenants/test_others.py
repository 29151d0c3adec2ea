"""What is said of the gangs of all namespaces: numbers, and times in steps."""

import math

from coschedule import plan
from engine.builders import NOW, gang, node, running, snapshot
from lockstep.tenants.others import Freed, ahead_of, others_of


def test_gangs_that_run_are_counted_and_their_ends_are_coarse():
    runs = [running("a", 0, end=NOW + 1), running("b", 0, 1, end=NOW + 299), running("c", 0, end=NOW + 301)]

    others = others_of((), [*runs, running("d", 1, end=math.inf)], NOW)

    assert (others.waiting, others.running, others.lasting) == (0, 4, 1)
    assert others.freed == (Freed(5, 3), Freed(10, 1))
    assert others.members == sum(one.size for one in runs) + 1


def test_end_that_has_passed_is_expected_soon():
    assert others_of((), [running("late", 0, end=NOW - 50)], NOW).freed == (Freed(5, 1),)


def test_gangs_that_are_planned_before_are_ahead_with_the_members_that_they_get():
    snap = snapshot([node("n0", free=4)], [gang("first", size=3, serial=60), gang("second", size=2, serial=60)])
    decisions = plan(snap).decisions
    first, second = (one.gang for one in decisions)

    assert tuple(ahead_of(decisions, first)) == (0, 0)
    assert tuple(ahead_of(decisions, second)) == (1, 3)
    assert others_of(decisions, [], NOW).waiting == 2
