"""The operator is killed at the requests that hand records over, and started again: gangs are on record once."""

from functools import partial

import pytest

from crashes.recorded_lives import on_record
from crashes.strikes import KillOperator
from crashes.theatre import Theatre
from live.proxy import Moment
from live.quick_start import Forked
from live.recording import RIGHTS, handing_over, recording
from lockstep_demo.operator_process import OperatorProcess, running
from searches import sample

LEASE_SECONDS = 10
# A record of the gang while it runs, and one of its end.
LEAST = 2


@pytest.fixture(scope="module")
def database(installed, tmp_path_factory):
    """The file of a recorder that runs beside the tests."""
    database = tmp_path_factory.mktemp("recorder") / "record.db"
    with recording(installed, database):
        yield database
    installed.kubectl("delete", f"--filename={RIGHTS}", "--wait=false")


@pytest.fixture(scope="module")
def operator(proxy, tmp_path_factory):
    """An operator that talks to the proxy, one write at a time, and hands records over."""
    log = tmp_path_factory.mktemp("operator") / "log"
    options = ("--concurrency", "1", *handing_over(LEASE_SECONDS))
    with running(OperatorProcess(proxy.kubeconfig, log, *options, spawn=Forked)) as process:
        yield process


def test_gang_is_on_record_once_wherever_the_operator_is_killed(
    operator, proxy, arena, background, database, pytestconfig
):
    theatre = Theatre(arena, proxy, operator, background, KillOperator(operator))

    chosen = partial(sample, pytestconfig, "on record", least=LEAST)
    points, broken = theatre.crash(on_record(database), [Moment.AFTER], chosen)

    assert points
    assert {point.request for point in points} == {"POST configmaps"}
    assert not broken, "\n".join(broken)
