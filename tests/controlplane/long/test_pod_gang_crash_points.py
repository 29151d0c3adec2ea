"""The operator is killed at requests of every life of a Gang, and started again: at a sample of them, or at all."""

from functools import partial

import pytest

from crashes.pod_gang_lives import POD_GANG_LIVES
from crashes.strikes import KillOperator
from crashes.theatre import Theatre
from live.proxy import Moment
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from searches import sample

# A life has sometimes a request or two less than the undisturbed one, and then misses its last points.
LEAST = 3


@pytest.fixture(scope="module")
def operator(suspending, proxy, tmp_path_factory):
    """An operator that talks to the proxy, one write at a time: so the n-th request is always the same one."""
    assert suspending
    log = tmp_path_factory.mktemp("operator") / "log"
    options = ("--concurrency", "1", "--sources=pods,job,single")
    with running(OperatorProcess(proxy.kubeconfig, log, *options, spawn=Forked)) as process:
        yield process


@pytest.mark.parametrize("life", POD_GANG_LIVES)
def test_gang_of_pods_ends_where_it_should_wherever_the_operator_is_killed(
    operator, proxy, arena, background, life, pytestconfig
):
    theatre = Theatre(arena, proxy, operator, background, KillOperator(operator))

    chosen = partial(sample, pytestconfig, life, least=LEAST)
    points, broken = theatre.crash(POD_GANG_LIVES[life], [Moment.AFTER], chosen)

    assert points
    assert not broken, "\n".join(broken)
