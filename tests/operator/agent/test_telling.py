"""What people read of a measurement."""

import pytest

from lockstep.agent.measured import Measured
from lockstep.agent.telling import report_of

UNKNOWN = dict.fromkeys(Measured.__dataclass_fields__)
NINE = 1_800_003_600.0


@pytest.mark.parametrize(
    ("known", "want"),
    [
        pytest.param({}, "whether the owner is there can't be seen.", id="nobody can see"),
        pytest.param({"owner_present": False}, "the owner is away.", id="away for good"),
        pytest.param(
            {"owner_present": False, "available_until": NINE},
            "the owner is away, likely until 2027-01-15T09:00:00Z.",
            id="away until nine",
        ),
        pytest.param(
            {"owner_present": True, "available_from": NINE, "available_until": NINE + 60},
            "the owner is there, likely until 2027-01-15T09:00:00Z.",
            id="there until nine",
        ),
    ],
)
def test_owner_is_said_to_be_there_or_away_and_until_when(known, want):
    report = report_of(Measured(**{**UNKNOWN, "source": "cgroup v2", **known}), wall=NINE, kept=())

    assert report.message.endswith(want)
