"""What of a GangSweep's status others may have written."""

import pytest

from fake_cluster.sweeps import sweep
from lockstep.api.sweeps.sweep import parse_sweep, sweep_status_manifest
from lockstep.facts.sweeps.run_ends import RunEnds
from lockstep.facts.sweeps.sweep import SweepStatus


def parsed(**status):
    manifest = sweep(runs=5)
    manifest["metadata"]["uid"], manifest["metadata"]["resourceVersion"] = "u", "1"
    return parse_sweep({**manifest, "status": status}).status


@pytest.mark.parametrize("text", ["", "A", "no base64!", "AAAA" * 5_000])
def test_states_that_are_no_states_count_as_not_ended(text):
    assert [*RunEnds.unpacked(parsed(runStates=text).run_ends, 5).each] == [0] * 5


def test_states_are_read_as_they_are_written():
    ends = RunEnds(bytes([1, 0, 2, 1, 2]))

    written = sweep_status_manifest(SweepStatus(run_ends=ends.packed))

    assert RunEnds.unpacked(parsed(runStates=written["runStates"]).run_ends, 5) == ends
