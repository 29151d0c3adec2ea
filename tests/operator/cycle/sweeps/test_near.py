"""How many runs of a sweep may wait at a time."""

import pytest

from lockstep.cycle.sweeps.common_sizes import RunSize
from lockstep.facts.document import Document


@pytest.mark.parametrize(
    ("groups", "letters", "want"),
    [
        pytest.param(1, 100, 1, id="one at a time"),
        pytest.param(16, 100, 16, id="as many as go side by side"),
        pytest.param(1_000, 100, 32, id="a bound"),
        pytest.param(1_000, 500_000, 4, id="2 MiB of templates"),
        pytest.param(1_000, 3_000_000, 1, id="one at least"),
        pytest.param(0, 100, 1, id="one where none fits"),
    ],
)
def test_runs_that_wait_are_bounded_by_number_and_bytes(groups, letters, want):
    size = RunSize(size=1, members=1, groups=groups, reason="")

    assert size.near(Document.of({"text": "x" * letters})) == want
