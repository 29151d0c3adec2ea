"""Which plans use a shrink that is ahead."""

import math
from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec, member_fact, node_fact, reservation
from coschedule import GangKey, Members, Placement, SizeChange, SizeReason, Unplaceable
from lockstep.belief.state import State
from lockstep.cycle.resizing.unwanted_shrinks import UnwantedShrinks
from lockstep.facts.elastic import ElasticSpec
from lockstep.report.text.operator_refusals import BehindInQueue

NOW = 1000.0
KEY, OTHER = GangKey("default", "g"), GangKey("default", "waits")
GONE_BY = NOW + 90 + 30
END = NOW + 7200
SETTLING = 2.0
SHRINKS = SizeChange(KEY, 3, (0,), END + 60, END)
FOR_OTHER = {"because": SizeReason.WAITING_GANG, "made_for": OTHER}
GIVES_BACK = SizeChange(KEY, 3, (0,), math.inf, math.inf, is_open_ended=True, **FOR_OTHER)
FOR_A_RUN = GIVES_BACK._replace(because=SizeReason.MEASURED_SPEEDS, made_for=None)
BEHIND = Unplaceable(gang=OTHER, refusal=BehindInQueue(in_front=1, starts_by=None))


def shrinking(*, end=END, asked=None):
    """A state with a gang on n1 and n2 that gives up n2 in 90 seconds."""
    state = State(lambda: None)
    for number in range(1, 4):
        state.nodes.apply(node_fact(f"n{number}"))
    spec = replace(gang_spec(), elastic=ElasticSpec(120.0, 600.0, asked, has_notice=True))
    state.apply_gang(gang_fact("g", spec=spec))
    state.assumptions.hold(reservation(members=(("n1", 1), ("n2", 2)), finish=end))
    for rank, name in enumerate(("n1", "n2", "n2")):
        state.apply_pod(member_fact(rank=rank, node=name))
    state.assumptions.keep_room(reservation(members=(("n1", 1),), start=NOW + 90))
    return state


def starting(start, node="n2"):
    """The placement of a gang that waits."""
    return Placement(
        gang=OTHER,
        size=1,
        start=start,
        finish=start + 60,
        speedup=None,
        members=(Members(node, 1),),
        slowest=node,
        latest=None,
        alternative=None,
    )


def is_unwanted(state, *decisions, change=SHRINKS, after=SETTLING, beside=()):
    """Whether the shrink is dropped if two plans, so many seconds apart, have these decisions."""
    clock = [50.0]
    shrinks = UnwantedShrinks(state, lambda: clock[0], settling=SETTLING)
    shrinks.watch(change, (change, *beside))
    shrinks.judge(decisions, NOW)
    clock[0] += after
    shrinks.judge(decisions, NOW)
    return shrinks.gangs == {KEY}


@pytest.mark.parametrize(
    ("decisions", "want"),
    [
        pytest.param([], True, id="no gang waits"),
        pytest.param([starting(GONE_BY)], False, id="one starts there then"),
        pytest.param([starting(GONE_BY, "n3")], True, id="one starts elsewhere"),
        pytest.param([starting(NOW)], True, id="one starts on other seats of that node"),
        pytest.param([starting(END - 60)], False, id="one starts there later, but before the gang would end"),
        pytest.param([starting(END)], True, id="one starts there when the gang would end"),
        pytest.param([starting(END), starting(GONE_BY)], False, id="one of several starts there then"),
        pytest.param([BEHIND], False, id="one is too far back for a place in the plan"),
    ],
)
def test_plan_uses_a_shrink_if_a_gang_may_start_on_its_seats_sooner(decisions, want):
    assert is_unwanted(shrinking(), *decisions) is want


def test_gang_of_unknown_end_gives_back_as_long_as_any_gang_may_start_on_its_seats():
    assert not is_unwanted(shrinking(end=None), starting(END + 9999), change=GIVES_BACK)
    assert is_unwanted(shrinking(end=None), change=GIVES_BACK)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param({"change": SHRINKS._replace(end=END - 60)}, id="it ends sooner by it"),
        pytest.param(
            {"change": SHRINKS._replace(end=END - 60, **FOR_OTHER)}, id="it ends sooner by it, and another gang starts"
        ),
        pytest.param(
            {"change": FOR_A_RUN},
            id="it gives back for no gang",
        ),
        pytest.param({"beside": [SizeChange(OTHER, 1, (1, 2), END, END)]}, id="another gang grows by it"),
        pytest.param({"after": SETTLING - 0.1}, id="not for long enough"),
    ],
)
def test_shrink_goes_on_though_no_gang_starts_there(case):
    assert not is_unwanted(shrinking(), **case)


def test_shrink_that_the_owner_asks_for_goes_on():
    assert not is_unwanted(shrinking(asked=1))


def test_shrink_that_a_plan_uses_again_goes_on():
    state, clock = shrinking(), [50.0]
    shrinks = UnwantedShrinks(state, lambda: clock[0], settling=SETTLING)
    shrinks.watch(SHRINKS, (SHRINKS,))

    assert shrinks.judge([], NOW) == SETTLING
    clock[0] += 5
    assert shrinks.judge([starting(GONE_BY)], NOW) == math.inf
    assert shrinks.gangs == frozenset()


def test_change_that_is_over_is_forgotten():
    state = shrinking()
    shrinks = UnwantedShrinks(state, lambda: 50.0, settling=0.0)
    shrinks.watch(SHRINKS, (SHRINKS,))
    shrinks.judge([], NOW)
    assert shrinks.gangs == {KEY}

    state.counts.next_sizes.forget(KEY)
    shrinks.judge([], NOW)

    assert shrinks.gangs == frozenset()
