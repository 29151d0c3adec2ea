"""What a status says that its gang holds, whichever process has written it."""

import math
from dataclasses import replace

import pytest

from builders.facts import gang_fact, gang_spec
from builders.statuses import IN_PIECES, NOW, PLACEMENT, SHARED, reserved
from coschedule import Members
from lockstep.belief.holding.reservation import reserved_for, reserved_in_status
from lockstep.facts.gang.status import GangStatus

RESERVED = GangStatus(attempt=1, members=(Members("n1", 2),), reserved_at=100.0, start=100.0, expected_finish=160.0)


def held(**status):
    return reserved_in_status(gang_fact(spec=gang_spec(size=2), status=replace(RESERVED, **status)))


def test_start_and_finish_are_those_of_the_status():
    assert (held().start, held().expected_finish) == (100.0, 160.0)


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({"start": 253402300799.0}, (100.0, 160.0), id="a start in the year 9999"),
        pytest.param({"start": None}, (100.0, 160.0), id="no start"),
        pytest.param({"start": 90.0}, (90.0, 160.0), id="a start before the reservation"),
        pytest.param({"expected_finish": -6.2e10}, (100.0, None), id="an end in the year 1"),
        pytest.param({"expected_finish": 100.0}, (100.0, 100.0), id="a run of less than a second"),
        pytest.param({"expected_finish": None}, (100.0, None), id="no end"),
    ],
)
def test_impossible_times_keep_no_gang_waiting(status, want):
    assert (held(**status).start, held(**status).expected_finish) == want


def test_size_that_the_spec_does_not_allow_holds_nothing():
    assert held(members=(Members("n1", 3),)) is None


@pytest.mark.parametrize(
    "members", [PLACEMENT.members, SHARED.members, IN_PIECES.members], ids=["equal", "shares", "pieces"]
)
@pytest.mark.parametrize("finish", [NOW + 50.25, math.inf], ids=["with an end", "of unknown end"])
def test_what_an_attempt_holds_is_read_back_from_its_status(members, finish):
    gang = gang_fact(spec=gang_spec(size=sum(entry.count for entry in members)))
    placement = replace(PLACEMENT, gang=gang.key, members=members, start=NOW - 2, finish=finish)

    holds = reserved_for(gang, placement, attempt=3, now=NOW)

    status = reserved(gang, placement, attempt=3, now=NOW)
    assert holds == reserved_in_status(replace(gang, status=status))
