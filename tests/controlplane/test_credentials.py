"""The operator's token expires while it runs: it asks rarely, says so in every place once, and goes on afterwards."""

from urllib.error import HTTPError

import pytest

from builders.manifests import gang
from eventually import eventually
from live.quick_start import Forked
from lockstep.api.client.credentials import REFUSED
from lockstep_demo.operator_process import OperatorProcess, running

GAUGE = "lockstep_credentials_refused"


@pytest.fixture
def operator(proxy, tmp_path):
    """An operator that leads without a lease, so that it goes on without one too."""
    options = ("--leader-elect=false",)
    with running(OperatorProcess(proxy.kubeconfig, tmp_path / "log", *options, spawn=Forked)) as process:
        yield process
    proxy.locks_out = False


@pytest.fixture
def leader(proxy, tmp_path):
    """An operator that leads by a lease, on the usual terms."""
    process = OperatorProcess(proxy.kubeconfig, tmp_path / "log", "--leader-elect=true", spawn=Forked)
    with running(process):
        eventually(lambda: process.metrics()["lockstep_leader"] == 1)
        yield process
    proxy.locks_out = False


def test_operator_without_a_valid_token_is_patient_and_reports_it(operator, proxy, background, arena):
    arena.add_nodes(1)
    assert operator.metrics()[GAUGE] == 0
    proxy.locks_out = True
    background.run(proxy.drop_watches())

    eventually(lambda: not operator.is_ready())
    assert "rejects the credentials of this process" in not_ready_because(operator)
    assert operator.metrics()[GAUGE] == 1
    assert operator.log_text().count("rejects the credentials of this process") == 1
    # Before it is reported, three tries; then kopf's two watches and what was under way.
    assert refused(operator) < 60

    arena.submit(gang("heat"))
    proxy.locks_out = False
    arena.until_placed("heat")
    eventually(operator.is_ready)
    eventually(lambda: operator.metrics()[GAUGE] == 0)
    assert "accepts the credentials of this process again" in operator.log_text()


def test_leader_without_a_valid_token_ends_and_its_last_sentence_says_what_to_do(leader, proxy, background):
    assert leader.is_ready()
    proxy.locks_out = True
    background.run(proxy.drop_watches())

    eventually(lambda: not leader.is_alive)

    *log, last = leader.log_text().splitlines()
    assert last.startswith("Error: lost the lease lockstep-system/lockstep: it could not be renewed within 10 s: ")
    assert last.endswith(REFUSED)
    [error] = [line for line in log if " ERROR " in line]
    assert error.endswith(REFUSED)


def not_ready_because(operator):
    with pytest.raises(HTTPError) as caught:
        operator.page("/readyz")
    return caught.value.read().decode()


def refused(operator):
    return sum(value for name, value in operator.metrics().items() if 'code="401"' in name)
