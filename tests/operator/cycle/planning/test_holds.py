"""Since when, and for how long, a gang holds nodes."""

from collections import Counter
from dataclasses import replace

import pytest

from builders.facts import gang_fact
from coschedule import GangKey, Hold, Placement, Reason, Spelled, Unplaceable
from lockstep.cycle.planning.holds import HoldPolicy, Holds
from lockstep.report.text.refusal_sentences import format_refusal

GANG = gang_fact("g")
DAY = 1_800_000_000.0
PLANNED = Placement(
    gang=GANG.key,
    size=1,
    start=DAY + 900,
    finish=DAY + 901,
    speedup=None,
    members=(),
    slowest="n1",
    latest="n1",
    alternative=None,
)
NO_ROOM = Spelled(reason=Reason.NOT_ENOUGH_ROOM, sentence="it needs 2 members, and 1 fit")
NEEDS = Unplaceable(gang=GANG.key, refusal=NO_ROOM)


def holding(*nodes, start=DAY):
    return replace(NEEDS, hold=Hold(nodes=nodes, start=start))


@pytest.fixture
def holds():
    return Holds(HoldPolicy(seconds=600, gangs=2))


def test_hold_ends_after_its_time_and_may_begin_again_after_as_long(holds):
    holds.record(GANG, holding("n1"), 0.0, of_day=DAY)

    assert [holds.may_hold(GANG, time) for time in (0, 599, 600, 1199, 1200)] == [True, True, False, False, True]
    assert [holds.held(GANG, time) for time in (0, 599, 600, 1200)] == [("n1",), ("n1",), (), ()]
    assert [holds.next_change(time) for time in (0, 600, 1200)] == [600, 1200, float("inf")]


def test_time_counts_from_when_the_gang_could_first_have_started(holds):
    holds.record(GANG, holding("n1", start=DAY + 50), 0.0, of_day=DAY)
    holds.record(GANG, holding("n1", start=DAY + 90), 10.0, of_day=DAY + 10)

    assert [holds.may_hold(GANG, time) for time in (649, 650)] == [True, False]


def test_hold_that_is_not_needed_for_a_moment_gains_no_time(holds):
    holds.record(GANG, holding("n1"), 0.0, of_day=DAY)
    holds.record(GANG, PLANNED, 500.0, of_day=DAY + 500)

    assert holds.held(GANG, 500.0) == ()

    holds.record(GANG, holding("n2"), 510.0, of_day=DAY + 510)

    assert [holds.held(GANG, time) for time in (599, 600)] == [("n2",), ()]
    assert [holds.may_hold(GANG, time) for time in (599, 600)] == [True, False]


def test_gang_that_has_had_its_nodes_has_all_its_time_again(holds):
    holds.record(GANG, holding("n1"), 0.0, of_day=DAY)
    holds.record(GANG, PLANNED, 500.0, of_day=PLANNED.start)

    assert holds.may_hold(GANG, 700.0)


def test_rest_is_not_cut_short(holds):
    holds.record(GANG, holding("n1"), 0.0, of_day=DAY)
    holds.record(GANG, NEEDS, 700.0, of_day=DAY + 700)

    assert not holds.may_hold(GANG, 701.0)


def test_another_gang_of_that_name_has_a_time_of_its_own(holds):
    holds.record(GANG, holding("n1"), 0.0, of_day=DAY)

    assert holds.may_hold(gang_fact("g", uid="another"), 700.0)


@pytest.mark.parametrize("count", [2, 5, 9, 40])
def test_every_gang_has_its_turn_however_many_hold_nodes_in_vain(count):
    # The gangs that may hold nodes are planned in order, and the first two of them do.
    holds, had = Holds(HoldPolicy(seconds=600, gangs=2)), Counter()
    gangs = [gang_fact(f"g{number:02}") for number in range(count)]
    for time in range(0, 3_000 * count, 200):
        for gang in [one for one in gangs if holds.may_hold(one, time)][:2]:
            holds.record(gang, replace(holding("n1"), gang=gang.key), time, of_day=DAY + time)
            had[gang.key] += 1

    assert len(had) == count


@pytest.mark.parametrize("count", [1, 40, 400])
def test_gangs_of_one_namespace_do_not_prolong_the_rest_of_another(holds, count):
    for number in range(count):
        one = replace(gang_fact("other"), key=GangKey("crowd", f"g{number:03}"))
        holds.record(one, replace(holding("n1"), gang=one.key), 0.0, of_day=DAY)

    holds.record(GANG, holding("n1"), 0.0, of_day=DAY)

    assert [holds.may_hold(GANG, time) for time in (599, 600, 1_199, 1_200)] == [True, False, False, True]


def test_gangs_that_need_not_take_turns_rest_as_long_each_time(holds):
    rests = []
    for time in (0, 1_200, 2_400):
        holds.record(GANG, holding("n1"), time, of_day=DAY + time)
        rests.append(holds.next_change(time + 600) - (time + 600))

    assert rests == [600, 600, 600]


def test_condition_says_how_long_a_gang_rests_that_takes_turns(holds):
    others = [gang_fact(f"g{number}") for number in range(2)]
    for time in (0, 1_200):
        for gang in (GANG, *others):
            holds.record(gang, replace(holding("n1"), gang=gang.key), time, of_day=DAY + time)
    over = holds.record(GANG, NEEDS, 1_800.0, of_day=DAY + 1_800)

    assert format_refusal(over.refusal).endswith("it may do so again from 2027-01-15T08:50:00Z on")
    assert [holds.may_hold(GANG, time) for time in (2_999, 3_000)] == [False, True]


def test_condition_says_what_is_held_since_when_and_how_long(holds):
    first = holds.record(GANG, holding("n1", "n2", "n3"), 0.0, of_day=DAY)
    later = holds.record(GANG, holding("n1", "n2", "n3"), 99.0, of_day=DAY + 99)
    over = holds.record(GANG, NEEDS, 600.0, of_day=DAY + 600)

    assert format_refusal(first.refusal).startswith(
        "it needs 2 members, and 1 fit; it has kept n1…n3 free for itself since 2027-01-15T08:00:00Z, "
        "and does so until 2027-01-15T08:10:00Z at most: gangs behind it"
    )
    assert format_refusal(later.refusal) == format_refusal(first.refusal)
    assert format_refusal(over.refusal) == (
        "it needs 2 members, and 1 fit; it kept nodes free for itself until 2027-01-15T08:10:00Z, "
        "the longest time allowed; it may do so again from 2027-01-15T08:20:00Z on"
    )


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        pytest.param(HoldPolicy(), 4, id="four gangs by default"),
        pytest.param(HoldPolicy(seconds=0), 0, id="no time"),
        pytest.param(HoldPolicy(gangs=0), 0, id="no gang"),
    ],
)
def test_most_gangs_that_hold(policy, want):
    assert policy.most_holding == want
