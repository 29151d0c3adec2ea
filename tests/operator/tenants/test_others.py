"""What is said of the gangs of all namespaces: numbers, and times in steps."""

import math
from itertools import pairwise

from coschedule import plan
from engine.builders import NOW, gang, node, running, snapshot
from lockstep.tenants.others import Freed, ahead_of, others_of

# A moment at which a step of five minutes begins.
MARK = 1_200.0


def test_gangs_that_run_are_counted_and_their_ends_are_coarse():
    runs = [running("a", 0, end=MARK + 1), running("b", 0, 1, end=MARK + 299), running("c", 0, end=MARK + 301)]

    others = others_of((), [*runs, running("d", 1, end=math.inf)], MARK)

    assert (others.waiting, others.running, others.lasting) == (0, 4, 1)
    assert others.freed == (Freed(5, 3), Freed(10, 1))
    assert others.members == sum(one.size for one in runs) + 1


def test_end_of_others_is_no_finer_for_those_who_ask_again_and_again():
    """Each answer says within how many minutes, and says no more when the next one is another."""
    end = MARK + 1_234
    moments = [MARK + seconds for seconds in range(0, 1_300, 15)]
    said = [(others_of((), [running("a", 0, end=end)], now).freed[0].within_minutes, now) for now in moments]

    assert all(now + 60 * minutes >= end for minutes, now in said)
    changes = [now for (before, _), (minutes, now) in pairwise(said) if minutes != before]
    assert changes == [MARK + 300, MARK + 600, MARK + 900, MARK + 1_200]


def test_end_that_has_passed_is_expected_soon():
    assert others_of((), [running("late", 0, end=NOW - 50)], NOW).freed == (Freed(5, 1),)


def test_gangs_that_are_planned_before_are_ahead_with_the_members_that_they_get():
    snap = snapshot([node("n0", free=4)], [gang("first", size=3, serial=60), gang("second", size=2, serial=60)])
    decisions = plan(snap).decisions
    first, second = (one.gang for one in decisions)

    assert tuple(ahead_of(decisions, first)) == (0, 0)
    assert tuple(ahead_of(decisions, second)) == (1, 3)
    assert others_of(decisions, [], NOW).waiting == 2
