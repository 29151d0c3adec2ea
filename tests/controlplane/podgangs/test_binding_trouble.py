"""Bindings of a Gang that meet trouble: it is bound whole, or not at all, and what is not known is asked again."""

import pytest

from eventually import eventually
from live.pod_gangs import SEAT, SIZE
from live.proxy import Injected
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

# As often as the client sends a request before it gives up.
TRIES = 6

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(sources, proxy, tmp_path_factory):
    """An operator that talks to the proxy; one for all tests of a file."""
    assert sources
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(proxy.kubeconfig, log, "--sources=pods", spawn=Forked)) as process:
        yield process


@pytest.fixture(autouse=True)
def undisturbed(proxy):
    """Disturb nothing after the test."""
    yield
    proxy.reset()


def seats(gangs, name):
    """How many pods of a Gang are on nodes, and what their bindings say."""
    annotations = [pod["metadata"].get("annotations") or {} for pod in gangs.pods(name)]
    return gangs.bound(name), {(one[SEAT].split("/")[1], one[SIZE]) for one in annotations}


def test_bindings_without_an_answer_are_sent_until_all_pods_are_bound(arena, gangs, proxy):
    sent = []

    def fault(_verb, resource):
        if resource != "pods/binding" or len(sent) > 2 * TRIES:
            return None
        sent.append(resource)
        return Injected(0, is_lost=len(sent) == 1)

    proxy.fault = fault
    arena.add_nodes(1, cpu="4")
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a", "b")

    eventually(lambda: gangs.bound("heat") == 2)

    assert len(sent) > TRIES
    assert seats(gangs, "heat") == (2, {("1", "2")})
    gangs.until("heat", "Placed")
