"""What a gang waits for, as manifests say it."""

import pytest

from builders.served import gang
from lockstep.api.gangjob.after import parse_after, parse_recorded, recorded_manifest
from lockstep.api.gangjob.gangjob import parse_gang, parse_status, status_manifest
from lockstep.api.podgang.pod_gang import parse_pod_gang_spec
from lockstep.facts.gang.after import (
    MOST_PREDECESSORS,
    Missing,
    Predecessor,
    PredecessorKind,
    PredecessorOutcome,
    Recorded,
    When,
)
from lockstep.facts.gang.status import GangStatus

ENTRIES = (
    Recorded("a", PredecessorKind.GANG_JOB, "1"),
    Recorded("b", PredecessorKind.GANG, "2", PredecessorOutcome.SUCCEEDED),
    Recorded("c", PredecessorKind.GANG_JOB, "3", PredecessorOutcome.FAILED, 60.0),
)


def test_absent_fields_have_their_defaults():
    assert parse_after({"after": [{"name": "a"}]}) == (
        Predecessor("a", PredecessorKind.GANG_JOB, When.SUCCEEDED, Missing.WAIT),
    )
    assert parse_after({}) == parse_after({"after": None}) == ()


def test_all_fields_are_read_of_both_kinds():
    entry = {"name": "a", "kind": "Gang", "when": "Started", "missing": "Fail"}
    want = (Predecessor("a", PredecessorKind.GANG, When.STARTED, Missing.FAIL),)

    assert parse_gang(gang("g", spec={"after": [entry]}), None).policies.after == want
    assert parse_pod_gang_spec({"size": {"min": 1}, "after": [entry]}).after == want


def test_entries_count_though_the_rest_of_the_spec_is_refused():
    refused = parse_gang(gang("g", spec={"after": [{"name": "a"}], "deadline": "soon"}), None)
    assert (refused.spec, refused.policies.after) == (None, (Predecessor("a"),))


def test_no_more_entries_are_read_than_the_schema_allows():
    assert len(parse_after({"after": [{"name": str(number)} for number in range(99)]})) == MOST_PREDECESSORS


@pytest.mark.parametrize("entries", [(), ENTRIES[:1], ENTRIES])
def test_what_is_recorded_is_read_as_it_was_written(entries):
    written = status_manifest(GangStatus(after=entries))
    assert written["after"] == ([recorded_manifest(one) for one in entries] or None)
    kept = {name: value for name, value in written.items() if value is not None}
    assert parse_status(kept).after == parse_recorded(kept) == entries
