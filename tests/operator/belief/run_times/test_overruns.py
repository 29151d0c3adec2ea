"""When what lasts longer than expected is expected to end."""

import math
import random

import pytest

from builders.facts import gang_fact, reservation
from builders.work import instructions_of_steps
from lockstep.belief.common.steps import at_once
from lockstep.belief.run_times.overruns import OVERRUN_SHARE, end_after, patience
from lockstep.belief.state import State
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.snapshot.holders.endings import next_plan_for_ends

START = 1_800_000_000.0


def steps(start, expected):
    """The series as it is written down, one step after the other."""
    end = expected
    while True:
        yield end
        end += OVERRUN_SHARE * (end - start)


@pytest.mark.parametrize(
    ("now", "want"),
    [
        pytest.param(50, 100, id="as expected while that is to come"),
        pytest.param(100, 105, id="a twentieth later from then on"),
        pytest.param(104.9, 105, id="which does not move"),
        pytest.param(105, 110.25, id="until it has passed too"),
    ],
)
def test_overrun_goes_in_steps(now, want):
    assert end_after(now, start=0, expected=100) == pytest.approx(want)


def test_every_end_is_the_first_of_the_series_after_now():
    rnd = random.Random(5)  # noqa: S311 - cases of a test are no secrets
    for _ in range(2000):
        expected = START + rnd.choice([1, 30, 3600, 1e6]) * rnd.uniform(1, 3)
        now = START + (expected - START) * rnd.uniform(0, 20)

        found = end_after(now, start=START, expected=expected)

        want = next(end for end in steps(START, expected) if end > now)
        assert found > now
        assert found == pytest.approx(want, rel=1e-13)


@pytest.mark.parametrize("expected", [START, START - 5], ids=["at once", "before it began"])
def test_what_was_expected_to_take_no_time_gets_on_as_well(expected):
    ends = [end_after(START + age, start=START, expected=expected) - START for age in (0, 10, 1e9)]

    assert all(age < end < 1.06 * age + 1.06 for age, end in zip((0, 10, 1e9), ends, strict=True))


def test_first_end_of_those_that_hold_nodes_is_the_next():
    state = State(lambda: None)
    assert at_once(next_plan_for_ends(state, START)) == math.inf

    for name, finish in (("unknown", None), ("later", START + 500), ("overdue", START + 100)):
        state.assumptions.hold(reservation(name, start=START, finish=finish))

    assert at_once(next_plan_for_ends(state, START + 102)) == START + 105


def test_ends_that_follow_each_other_closely_share_a_plan():
    """The runs take 1,000 s, so plans are 25 s apart; an end that comes alone is planned for when it comes."""
    state = State(lambda: None)
    for number in range(10):
        state.assumptions.hold(reservation(f"g{number}", start=START, finish=START + 1000 + number))

    assert at_once(next_plan_for_ends(state, START + 900)) == START + 1000
    assert at_once(next_plan_for_ends(state, START + 999)) == START + 999 + 25


@pytest.mark.parametrize(("seconds", "want"), [(0, 1), (40, 1), (1000, 25), (2400, 60), (1e9, 60)])
def test_patience_is_half_a_step_from_a_second_to_a_minute(seconds, want):
    assert patience(seconds) == pytest.approx(want)


def test_gang_of_which_nothing_is_left_is_waited_for_no_more():
    undoing = ConditionFact("Placed", "False", "Undoing", "", 1, START)
    state = State(lambda: None)
    state.apply_gang(gang_fact("g", status=GangStatus(conditions=(undoing,))))
    state.assumptions.hold(reservation("g", start=START, finish=START + 100))

    assert at_once(next_plan_for_ends(state, START + 10)) == math.inf


def test_next_plan_is_found_in_short_steps_whatever_overruns():
    """Runs of a second that go on for a year have overrun hundreds of times."""
    state = State(lambda: None)
    for number in range(1000):
        state.assumptions.hold(reservation(f"g{number}", start=START, finish=START + 1))

    steps, due = instructions_of_steps(next_plan_for_ends(state, START + 3e7))

    assert due > START + 3e7
    # A million take about 50 ms.
    assert max(steps) < 100_000
