"""The ends of runs: what stands in a status says the same as what is in memory."""

import random

from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds


def test_packed_ends_say_the_same():
    """For every number of runs up to a hundred, and for ten thousand."""
    draw = random.Random(1)  # noqa: S311 - cases of a test are no secrets
    for runs in [*range(1, 101), 10_000]:
        ends = RunEnds(bytes(draw.choice(list(RunEnd)) for _ in range(runs)))
        assert RunEnds.unpacked(ends.packed, runs) == ends
        assert len(ends.packed) == -(-runs // 4)


def test_unknown_and_missing_ends_count_as_not_yet():
    """Any client may have written the status."""
    assert RunEnds.unpacked(b"\xff", 5) == RunEnds.none(5)
    assert RunEnds.unpacked(b"\x01" * 9, 2).each == bytes([1, 0])


def test_runs_are_found_by_their_end_in_order():
    """With and without a bound."""
    ends = RunEnds.none(6).having({1: RunEnd.FAILED, 4: RunEnd.FAILED, 2: RunEnd.SUCCEEDED})
    assert list(ends.runs_with(RunEnd.FAILED)) == [1, 4]
    assert ends.first_with(RunEnd.NOT_YET, 2) == (0, 3)
    assert [ends.count(end) for end in RunEnd] == [3, 1, 2]
