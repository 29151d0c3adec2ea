"""The operator is killed at requests of every life of a gang, and started again: at a sample of them, or at all.

It is killed when the API server has answered a request and it has not heard of that yet. What it leaves behind is what
it would leave if it were killed before its next request; `make crashes` kills it there too.
"""

from functools import partial

import pytest

from crashes.lives import LIVES, LONG_LIVES
from crashes.strikes import KillOperator
from crashes.theatre import Theatre
from live.proxy import Moment
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from searches import sample

# So many points stand for each of a long life that may be asked: each takes several seconds.
LONG_ONE_IN = 6
# A life has sometimes a request or two less than the undisturbed one, and then misses its last points.
LEAST = 3


@pytest.fixture(scope="module")
def operator(proxy, tmp_path_factory):
    """An operator that talks to the proxy, one write at a time: so the n-th request is always the same one."""
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(proxy.kubeconfig, log, "--concurrency", "1", spawn=Forked)) as process:
        yield process


@pytest.mark.parametrize("life", LIVES)
def test_gang_ends_where_it_should_wherever_the_operator_is_killed(
    operator, proxy, arena, background, life, pytestconfig
):
    theatre = Theatre(arena, proxy, operator, background, KillOperator(operator))

    check(theatre, life, LIVES[life], partial(sample, pytestconfig, life, least=LEAST))


@pytest.mark.parametrize("life", LONG_LIVES)
def test_gang_of_a_long_life_ends_where_it_should_wherever_the_operator_is_killed(
    operator, proxy, arena, background, life, pytestconfig
):
    theatre = Theatre(arena, proxy, operator, background, KillOperator(operator))

    chosen = partial(sample, pytestconfig, life, least=LEAST)
    check(theatre, life, LONG_LIVES[life], lambda points: chosen(points[::LONG_ONE_IN]))


def check(theatre, name, life, chosen):
    points, broken = theatre.crash(life, [Moment.AFTER], chosen)
    print(f"crash points of {name!r}: {len(points)}, violations: {len(broken)}")
    assert points
    assert not broken, "\n".join(broken)
