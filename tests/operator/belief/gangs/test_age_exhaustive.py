"""A gang's age over every short history of what may happen to it, against the sum of the times in which it counts."""

from dataclasses import replace
from itertools import product

import pytest

from builders.facts import gang_fact
from builders.statuses import no_place, placement, reserved
from coschedule import Reason as PlanReason
from lockstep.api.gangjob.gangjob import parse_gang, status_manifest
from lockstep.belief.gangs.age import queued_since
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.reasons import Reason
from lockstep.report.status import conditions, endings, plan_marks

CREATED = 1_000_000.0
GANG = gang_fact("g", created=CREATED)
NO_ROOM = no_place(PlanReason.NOT_ENOUGH_ROOM)


def refuse(gang, now):
    return conditions.mark_refused(gang, Refusal(Reason.INVALID_SPEC, "Not so."), now=now)


def suspend(gang, now):
    return endings.mark_suspended(gang, now=now)


def resume(gang, now):
    return endings.mark_resumed(gang, now=now)


def does_not_fit_empty_nodes(gang, now):
    return plan_marks.mark_unplaceable(gang, replace(NO_ROOM, fits_empty=False), now=now)


def waits_for_others(gang, now):
    return plan_marks.mark_unplaceable(gang, replace(NO_ROOM, fits_empty=True), now=now)


def is_not_planned_exactly(gang, now):
    return plan_marks.mark_unplaceable(gang, no_place(PlanReason.BEHIND_IN_QUEUE), now=now)


def is_placed(gang, now):
    return reserved(gang, placement(gang, start=now), now=now)


STOPS = [refuse, suspend, does_not_fit_empty_nodes]
GOES_ON = [waits_for_others, is_placed]
EVENTS = [*STOPS, *GOES_ON, resume, is_not_planned_exactly]
# No two sums of these are equal, so that a wrong one is seen.
PAUSES = [1, 2, 4, 8]


def counted(history):
    """The seconds that count of a history, which begins with the creation."""
    counts, age = history[0] not in STOPS, 0
    for event, pause in zip(history, PAUSES, strict=False):
        age += pause if counts else 0
        if event in STOPS + GOES_ON:
            counts = event in GOES_ON
    return age


def read_again(gang):
    """The gang as the next process reads it."""
    manifest = {
        "metadata": {
            "namespace": "default",
            "name": "g",
            "uid": gang.uid,
            "resourceVersion": "2",
            "generation": gang.generation,
            "creationTimestamp": "1970-01-12T13:46:40Z",
        },
        "status": {name: one for name, one in status_manifest(gang.status).items() if one is not None},
    }
    return parse_gang(manifest, gang)


@pytest.mark.parametrize("length", range(1, len(PAUSES) + 1))
def test_age_is_the_time_in_which_a_gang_asks_to_run_and_could(length):
    for history in product(EVENTS, repeat=length):
        gang, now = GANG, CREATED
        for event, pause in zip(history, PAUSES, strict=False):
            now += pause
            gang = read_again(replace(gang, status=event(gang, now)))
        assert now - queued_since(gang, now) == counted(history), history


@pytest.mark.parametrize("stop", STOPS)
def test_age_stands_still_however_long_a_gang_does_not_ask(stop):
    waiting = replace(GANG, status=waits_for_others(GANG, CREATED + 1))
    gang = replace(waiting, status=stop(waiting, CREATED + 60))

    assert [now - queued_since(gang, now) for now in (CREATED + 60, CREATED + 90, CREATED + 9e6)] == [60, 60, 60]


@pytest.mark.parametrize("stop", STOPS)
def test_gang_gains_nothing_by_asking_again_and_again(stop):
    gang, now = replace(GANG, status=stop(GANG, CREATED)), CREATED
    for _ in range(100):
        now += 60
        gang = replace(gang, status=resume(gang, now))
        now += 60
        gang = replace(gang, status=stop(gang, now))

    assert queued_since(gang, now) == now


def test_gangs_that_were_stopped_before_they_were_planned_have_the_same_age():
    first, second = GANG, replace(GANG, created=CREATED + 30)
    stopped = [replace(one, status=suspend(one, one.created + late)) for one, late in ((first, 2), (second, 9))]

    assert [queued_since(one, CREATED + 900) for one in stopped] == [CREATED + 900] * 2


def test_age_never_counts_from_before_the_creation():
    waiting = replace(GANG, status=waits_for_others(GANG, CREATED + 1))
    stopped = replace(waiting, status=suspend(waiting, CREATED + 60))

    # The clock was set back.
    assert queued_since(stopped, CREATED + 10) == CREATED


def test_gang_that_waits_keeps_its_time_between_two_plans():
    stopped = replace(GANG, status=suspend(GANG, CREATED + 5))
    waiting = replace(stopped, status=waits_for_others(stopped, CREATED + 100.7))
    again = replace(waiting, status=waits_for_others(waiting, CREATED + 400.2))

    assert queued_since(waiting, CREATED + 100.7) == queued_since(again, CREATED + 400.2) == CREATED + 101
