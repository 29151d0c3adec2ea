"""Bindings of a Gang that meet trouble: it is bound whole, or not at all, and what is not known is asked again."""

import itertools

import pytest

from eventually import eventually
from live.pod_gangs import SEAT, SIZE
from live.proxy import Injected

# As often as the client sends a request before it gives up.
TRIES = 6

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(sources, behind_proxy):
    """An operator that talks to the proxy; one for all tests of a file."""
    assert sources
    with behind_proxy("pods") as process:
        yield process


def seats(gangs, name):
    """How many pods of a Gang are on nodes, and what their bindings say."""
    bound = [pod for pod in gangs.pods(name) if pod["spec"].get("nodeName")]
    annotations = [pod["metadata"].get("annotations") or {} for pod in bound]
    return len(bound), {(one[SEAT].split("/")[1], one[SIZE]) for one in annotations}


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


def refuses_bindings_after(count):
    """That many bindings arrive; dry runs are not counted."""
    numbers = itertools.count(1)
    return lambda verb, resource: (
        Injected(403) if (verb, resource) == ("POST", "pods/binding") and next(numbers) > count else None
    )


def test_new_pods_are_not_added_to_a_run_whose_pods_are_all_being_deleted(arena, gangs, proxy, operator):
    """As when a Job is suspended and resumed in mid-bind, while the operator is away and kubelets are slow."""
    proxy.fault = refuses_bindings_after(2)
    arena.add_nodes(2, cpu="4")
    gangs.submit("heat", 4)
    gangs.create_pods("heat", "a", "b", "c", "d")
    eventually(lambda: gangs.bound("heat") == 2)
    operator.kill()
    old = [pod["metadata"]["name"] for pod in gangs.pods("heat") if pod["spec"].get("nodeName")]
    for name in old:
        arena.patch_pod(name, finalizers=["example.com/stays"])
    for name in "abcd":
        arena.delete_pod(name)
    gangs.create_pods("heat", "e", "f")
    proxy.reset()
    operator.start()

    gangs.until("heat", "Planned", "False", "AwaitsPods")
    assert gangs.condition("heat", "Planned")["message"].startswith("2 of the 4 needed pods")
    assert gangs.bound("heat") == len(old) == 2

    for name in old:
        arena.patch_pod(name, finalizers=None)
    gangs.create_pods("heat", "g", "h")
    gangs.until("heat", "Placed")
    assert gangs.bound("heat") == 4
