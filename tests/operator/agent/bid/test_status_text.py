"""What people read of a measurement."""

from dataclasses import replace

import pytest

from builders.usage import usage
from lockstep.agent.bid.offering import offer_of
from lockstep.agent.bid.status_text import report_of
from lockstep.agent.measuring.measured import Measured
from lockstep.api.nodebid.offer import report_manifest

UNKNOWN = dict.fromkeys(Measured.__dataclass_fields__)
NINE = 1_800_003_600.0


@pytest.mark.parametrize(
    ("known", "want"),
    [
        pytest.param({}, "it is not known whether the owner is there.", id="not visible"),
        pytest.param({"owner_present": False}, "the owner is away.", id="away for good"),
        pytest.param(
            {"owner_present": False, "available_until": NINE},
            "the owner is away, likely until 2027-01-15T09:00:00Z.",
            id="away until nine",
        ),
        pytest.param(
            {"owner_present": True, "available_from": NINE},
            "the owner is there, likely until 2027-01-15T09:00:00Z.",
            id="there until nine",
        ),
        pytest.param(
            {"owner_present": True, "available_from": NINE, "available_until": NINE + 3600},
            "the owner is there, likely until 2027-01-15T09:00:00Z, then away until 2027-01-15T10:00:00Z.",
            id="away between nine and ten",
        ),
        pytest.param(
            {"owner_present": False, "available_from": NINE, "available_until": NINE + 3600},
            "the owner is away, likely to be back within the hour, then away from 2027-01-15T09:00:00Z "
            "until 2027-01-15T10:00:00Z.",
            id="expected now",
        ),
    ],
)
def test_owner_is_said_to_be_there_or_away_and_until_when(known, want):
    report = report_of(Measured(**{**UNKNOWN, "source": "cgroup v2", **known}), wall=NINE, kept=())

    assert report.message.endswith(want)


@pytest.mark.parametrize(
    ("known", "want"),
    [
        pytest.param(replace(usage(), cpu_pressure=0.124), ["in 12 % of the time"], id="an eighth of the time"),
        pytest.param(replace(usage(), cpu_pressure=0.0), ["in 0 % of the time"], id="never"),
        pytest.param(usage(), [], id="the kernel does not say"),
        pytest.param(None, [], id="nothing is measured"),
    ],
)
def test_how_long_processes_wait_for_a_processor_is_said(known, want):
    report = report_of(Measured(**{**UNKNOWN, "source": "cgroup v2", "usage": known}), wall=NINE, kept=())

    said = [part for part in report.message.split(", ") if part.startswith("processes wait for a processor ")]
    assert [part.removeprefix("processes wait for a processor ") for part in said] == want


@pytest.mark.parametrize(
    ("known", "want"),
    [
        pytest.param({}, None, id="nothing is forecast"),
        pytest.param({"available_until": NINE}, {"until": "2027-01-15T09:00:00Z"}, id="from now on"),
        pytest.param({"available_from": NINE}, {"from": "2027-01-15T09:00:00Z"}, id="for a day"),
        pytest.param(
            {"available_from": NINE, "available_until": NINE + 3600},
            {"from": "2027-01-15T09:00:00Z", "until": "2027-01-15T10:00:00Z"},
            id="from nine to ten",
        ),
    ],
)
def test_window_in_which_the_owner_is_likely_to_be_away_is_reported_whole(known, want):
    measured = Measured(**{**UNKNOWN, "source": "cgroup v2", **known})

    manifest = report_manifest("n1", offer_of(replace(measured, forecast=())), report_of(measured, wall=NINE, kept=()))

    assert manifest["status"]["measured"].get("ownerAway") == want
