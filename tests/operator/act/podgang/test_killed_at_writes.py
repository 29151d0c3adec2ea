"""The operator is killed at the writes of a life of a source of Gangs: of both a sample is asked, or all."""

import pytest

from crashes.in_memory.casts import CASTS
from crashes.in_memory.everywhere import SEEDS, killed_often, killed_once, points_of
from searches import sample

# Of each source a few lives, since sources have most of their code in common.
ONE_IN = 72


@pytest.mark.search("sources whose process is killed once", one_in=3)
@pytest.mark.parametrize("name", CASTS)
def test_gang_is_whole_in_the_end_wherever_one_process_is_killed(name, pytestconfig):
    points = points_of(CASTS[name])

    assert killed_once(CASTS[name], sample(pytestconfig, name, points, one_in=ONE_IN)) == []


@pytest.mark.search("sources whose processes are killed again and again", one_in=3)
@pytest.mark.parametrize("name", CASTS)
def test_gang_is_whole_in_the_end_though_processes_are_killed_again_and_again(name, pytestconfig):
    assert killed_often(CASTS[name], sample(pytestconfig, name, SEEDS, one_in=ONE_IN)) == []
