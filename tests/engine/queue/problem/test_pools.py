"""Roles with pieces of their own: how long a piece takes, and runs that are divided evenly."""

import pytest

from coschedule import SerialWork, even_run
from coschedule.queue.problem.gangs import Load
from coschedule.queue.problem.pools import pools_of, unit_seconds
from engine.builders import role

WORK = SerialWork(serial=100, fixed=5, per_member=1)
LAUNCHER = role("launcher", load=Load.NONE)
FRAMES = role("frames", load=Load.PIECES, pieces=20)
SCENES = role("scenes", load=Load.PIECES, pieces=6, weight=5)


@pytest.mark.parametrize(
    ("roles", "work", "want"),
    [
        pytest.param([FRAMES, LAUNCHER], WORK, 5, id="of one role"),
        pytest.param([FRAMES, SCENES], WORK, 2, id="of two roles"),
        pytest.param([SCENES, LAUNCHER], None, 1, id="of an unknown run time"),
        pytest.param([LAUNCHER], WORK, 1, id="none"),
    ],
)
def test_piece_of_weight_1_takes(roles, work, want):
    assert unit_seconds(pools_of(roles), work) == want


@pytest.mark.parametrize(
    ("roles", "sizes", "want"),
    [
        pytest.param([LAUNCHER, FRAMES], [1, 4], (25, 9), id="pieces of one role"),
        pytest.param([FRAMES, SCENES], [4, 2], (30, 11), id="the last of two roles"),
        pytest.param([FRAMES, SCENES], [1, 2], (40, 8), id="the first is the last"),
        pytest.param([LAUNCHER, role("workers")], [1, 4], (34, 0), id="shares, of which overhead takes its part"),
    ],
)
def test_even_run_has_what_depends_on_speed_and_what_does_not(roles, sizes, want):
    assert even_run(roles, sizes, WORK) == want
