"""ConfigMaps with records: what is written is read back, and a line that is no record costs no other one."""

from dataclasses import fields

import pytest

from builders.records import ended, record, stretch
from lockstep.api.records.record_document import parse_record, record_document
from lockstep.api.records.record_maps import parse_records, record_line, records_manifest, records_map_name
from lockstep.facts.records.gang_record import GangOutcome

WHOLE = record(
    "uid",
    stretch(
        ended=2000, memory=2**40, gpus=8, kinds=(("fast", 1), ("", 1)), reason="Preempted", lost=7, preemptor="a/b"
    ),
    stretch(2, 3000, message="é" * 256),
    user="ada",
    group="physics",
    template="0" * 32,
    sweep="s",
    promised=1,
    started=2,
    predicted=3,
    ended=4,
    outcome=GangOutcome.FAILED,
    reason="MemberFailed",
    message="One failed.",
    attempts=2,
    restarts=1,
)


def test_all_fields_are_read_back():
    assert [one.name for one in fields(WHOLE) if getattr(WHOLE, one.name) == one.default] == []
    assert parse_record(record_document(WHOLE)) == WHOLE


def test_a_line_that_is_no_record_costs_no_other_one():
    lines = [record_line(WHOLE), b"{\n", b"[]\n", b'{"uid": 3}\n', record_line(ended("other"))]

    found = parse_records(records_manifest("ns", records_map_name("lease", 7), lines))

    assert [one.uid for one in found.records] == ["uid", "other"]
    assert found.problem


@pytest.mark.parametrize(
    "wrong",
    [
        {"created": -1},
        {"created": True},
        {"created": 2**50},
        {"name": "x" * 600},
        {"user": "x" * 257},
        {"outcome": "Great"},
        {"stretches": [{"attempt": 1}]},
        {"stretches": [3]},
        {"stretches": 3},
        {"stretches": [{"attempt": 1, "began": 1, "members": 1, "kinds": [["fast"]]}]},
    ],
    ids=str,
)
def test_what_we_did_not_write_is_no_record(wrong):
    with pytest.raises(ValueError, match=r".+"):
        parse_record({**record_document(ended()), **wrong})
