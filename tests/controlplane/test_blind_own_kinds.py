"""kopf's watches of GangJobs and NodeBids are refused, end, or are unreadable: gangs land all the same."""

import json

import pytest

from builders.manifests import gang
from eventually import eventually
from live.proxy import Injected
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

OWN_KINDS = ("gangjobs", "nodebids")
INTERNAL_ERROR = {"type": "ERROR", "object": {"kind": "Status", "code": 500, "message": "etcd is not to be had"}}


@pytest.fixture
def operator(proxy, tmp_path):
    """An operator that talks to the proxy; it is for the test to start it."""
    process = OperatorProcess(proxy.kubeconfig, tmp_path / "log", spawn=Forked)
    yield process
    proxy.reset()
    process.end()


@pytest.fixture
def refuse_watches(proxy):
    """Lets every watch of our own kinds meet the same answer."""

    def refuse(injected):
        proxy.watch_fault = lambda resource: injected if resource in OWN_KINDS else None

    return refuse


def test_operator_is_ready_only_when_the_watches_of_our_kinds_deliver(operator, proxy, refuse_watches):
    refuse_watches(Injected(429, retry_after=1))
    operator.launch()
    eventually(lambda: "ready: " in operator.log_text())

    assert not operator.is_ready()

    proxy.reset()
    eventually(operator.is_ready)


@pytest.mark.parametrize(
    "injected",
    [
        pytest.param(Injected(429, retry_after=600), id="a long back-off"),
        pytest.param(Injected(200, body=json.dumps(INTERNAL_ERROR).encode() + b"\n"), id="an error in the stream"),
        pytest.param(Injected(200, body=b'{"type":"ADDED","object":{"metada\n'), id="half an event"),
        pytest.param(Injected(200, body=b"null\n"), id="no event"),
        pytest.param(Injected(404), id="not found"),
        pytest.param(Injected(401), id="not let in"),
        pytest.param(Injected(0), id="a broken connection"),
    ],
)
def test_gang_lands_while_its_watch_meets(operator, refuse_watches, arena, injected):
    arena.add_nodes(1)
    refuse_watches(injected)
    operator.launch()
    eventually(lambda: "ready: " in operator.log_text())

    arena.submit(gang("heat"))

    arena.until_placed("heat")
    assert "Traceback" not in operator.log_text()


def test_operator_watches_again_after_its_watch_broke_down(operator, proxy, refuse_watches, arena, background):
    arena.add_nodes(1)
    with running(operator):
        refuse_watches(Injected(200, body=json.dumps(INTERNAL_ERROR).encode() + b"\n"))
        background.run(proxy.drop_watches())
        eventually(lambda: "ended, and starts again: " in operator.log_text())
        proxy.reset()

        arena.submit(gang("heat"))

        arena.until_placed("heat")
        assert operator.is_ready()
