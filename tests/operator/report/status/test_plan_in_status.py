"""What a gang's status says of its plan: size, members, start, end, and the words of the condition Planned."""

import math
from dataclasses import replace

import pytest

from builders.statuses import (
    BROKEN,
    GANG,
    LATER,
    NO_ROOM,
    NOW,
    PLACEMENT,
    RESERVED,
    reserved,
    with_status,
)
from coschedule import GangKey, Members, Pieces, Share
from lockstep.api.gangjob.gangjob import status_manifest
from lockstep.facts.past_runs import Learned
from lockstep.facts.reasons import Condition
from lockstep.report.status import attempt_marks, plan_marks


def test_reservation_says_what_it_will_make():
    status = reserved()

    assert (status.attempt, status.size, status.members) == (1, 3, (Members("n1", 2), Members("n2", 1)))
    assert (status.start, status.expected_finish, status.reserved_at) == (NOW, NOW + 60, NOW)
    assert status.effective_speedup == "2.5"


@pytest.mark.parametrize(
    ("share", "want"),
    [
        pytest.param(2 / 7, "0.285714285714", id="twelve decimals"),
        pytest.param(1 / 4, "0.25", id="no trailing zeros"),
        pytest.param(1.0, "1", id="all"),
        pytest.param(1e-5, "0.00001", id="no exponent"),
        pytest.param(1e-14, "0", id="hardly anything"),
    ],
)
def test_share_is_a_decimal(share, want):
    placement = replace(PLACEMENT, size=1, members=(Members("n1", 1, Share(share)),))

    [written] = status_manifest(reserved(GANG, placement, now=NOW))["members"]
    assert written == {"node": "n1", "count": 1, "share": want}


def test_pieces_are_reserved_with_their_members():
    assert RESERVED["reserved with pieces"].members == (
        Members("n1", 1, Pieces(5)),
        Members("n1", 1, Pieces(4)),
        Members("n2", 1, Pieces(9)),
    )


@pytest.mark.parametrize(
    ("happening", "want"),
    [
        ("reserved", [{"node": "n1", "count": 2}, {"node": "n2", "count": 1}]),
        (
            "reserved with shares",
            [
                {"node": "n1", "count": 2, "share": "0.285714285714"},
                {"node": "n2", "count": 1, "share": "0.428571428571"},
            ],
        ),
        (
            "reserved with pieces",
            [
                {"node": "n1", "count": 1, "pieces": 5},
                {"node": "n1", "count": 1, "pieces": 4},
                {"node": "n2", "count": 1, "pieces": 9},
            ],
        ),
    ],
)
def test_members_are_written_with_what_the_load_gives_them_and_no_more(happening, want):
    assert status_manifest(RESERVED[happening])["members"] == want


def test_unknown_run_time_has_no_finish():
    endless = replace(PLACEMENT, finish=math.inf, speedup=None)
    status = reserved(GANG, endless, now=NOW)

    assert (status.expected_finish, status.effective_speedup) == (None, None)


def test_first_planned_start_is_never_moved():
    planned = plan_marks.mark_planned_for_later(GANG, LATER, now=NOW)
    put_off = plan_marks.mark_planned_for_later(with_status(planned), replace(LATER, start=NOW + 90), now=NOW + 50)
    status = reserved(with_status(put_off), replace(PLACEMENT, start=NOW + 90), now=NOW + 90)

    assert status.first_planned_start == NOW + 40


@pytest.mark.parametrize("happening", ["unplaceable", "released"])
def test_gang_without_a_plan_keeps_nothing_of_an_earlier_one(happening):
    earlier = with_status(plan_marks.mark_planned_for_later(GANG, LATER, now=NOW))
    status = {
        "unplaceable": lambda: plan_marks.mark_unplaceable(earlier, NO_ROOM, now=NOW),
        "released": lambda: attempt_marks.mark_released(earlier, BROKEN, retry_seconds=1, now=NOW),
    }[happening]()

    assert (status.size, status.start, status.expected_finish, status.members) == (None, None, None, ())
    assert (status.effective_speedup, status.reserved_at) == (None, None)


def test_release_says_why_and_when_the_gang_is_planned_again():
    status = attempt_marks.mark_released(with_status(reserved()), BROKEN, retry_seconds=8, now=NOW)

    assert status.condition(Condition.PLACED).message == f"Attempt 1 was torn down: {BROKEN.message}."
    assert status.condition(Condition.PLANNED).message == "The gang is planned again in 8 s."
    assert status.attempt == 1


@pytest.mark.parametrize(
    ("victims", "want"),
    [
        (["a"], " It preempts gang default/a, and starts when the members of that gang have ended."),
        (["a", "b"], " It preempts gangs default/a, default/b, and starts when the members of those gangs have ended."),
    ],
)
def test_gang_that_awaits_its_victims_names_them(victims, want):
    keys = [GangKey("default", name) for name in victims]

    status = plan_marks.mark_planned_for_later(GANG, LATER, now=NOW, victims=keys)

    assert status.condition("Planned").reason == "Preempting"
    assert status.condition("Planned").message.endswith(want)


def test_gang_that_starts_names_whose_place_it_takes():
    status = reserved(GANG, LATER, now=NOW, victims=[GangKey("default", "a")])

    assert status.condition("Planned").message.endswith(" It takes the place of gang default/a.")


@pytest.mark.parametrize(
    ("thousandths", "want"),
    [
        (1300, " Its run times are 1.3 times as stated, like those of its last 12 runs."),
        (1000, " Its run times are as stated, like those of its last 12 runs."),
    ],
    ids=["longer", "as stated"],
)
def test_plan_says_what_runs_have_shown(thousandths, want):
    learned = Learned(thousandths=thousandths, runs=12)
    for status in (
        reserved(GANG, PLACEMENT, now=NOW, learned=learned),
        plan_marks.mark_planned_for_later(GANG, LATER, now=NOW, learned=learned),
    ):
        assert status.condition(Condition.PLANNED).message.endswith(want)
        assert status_manifest(status)["runTimeFactor"] == learned.formatted


def test_plan_with_stated_run_times_has_no_factor():
    learned = Learned(thousandths=1300, runs=12)
    before = with_status(plan_marks.mark_planned_for_later(GANG, LATER, now=NOW, learned=learned))

    status = plan_marks.mark_planned_for_later(before, LATER, now=NOW)

    assert status.run_time_factor is None
    assert "run times" not in status.condition(Condition.PLANNED).message


def test_run_is_as_long_as_planned_however_long_the_plan_took():
    planned = replace(PLACEMENT, start=NOW - 3, finish=NOW - 2)

    status = reserved(GANG, planned, now=NOW)

    assert (status.start, status.expected_finish) == (NOW, NOW + 1)
