"""An API server that stumbles: errors, lost answers, refusals, a restart. A gang lands all the same, once and whole."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.proxy import Injected
from sandbox import Component

MEMBERS = 3
RESERVING, CREATING, BINDING = ("PATCH", "gangjobs/status"), ("POST", "pods"), ("POST", "pods/binding")


@pytest.fixture(scope="module")
def operator(operator_behind_proxy):
    """An operator that talks to the proxy."""
    return operator_behind_proxy


@pytest.fixture
def trouble(operator, proxy):
    """Disturbs the next ``times`` requests of a kind, after the first ``spared``."""

    def disturb(request, injected, *, times=2, spared=0):
        asked = 0

        def fault(*asked_for):
            nonlocal asked
            if asked_for != request:
                return None
            asked += 1
            return injected if spared < asked <= spared + times else None

        proxy.reset()
        proxy.fault = fault

    yield disturb
    proxy.reset()


@pytest.mark.parametrize(
    "injected",
    [
        pytest.param(Injected(500), id="an error"),
        pytest.param(Injected(429), id="too many requests"),
        pytest.param(Injected(0), id="a broken connection"),
        pytest.param(Injected(504, is_lost=True), id="an answer too late"),
        pytest.param(Injected(0, is_lost=True), id="an answer lost with its connection"),
    ],
)
@pytest.mark.parametrize(
    "request_kind",
    [
        pytest.param(RESERVING, id="reserving"),
        pytest.param(CREATING, id="creating"),
        pytest.param(BINDING, id="binding"),
    ],
)
def test_gang_lands_once_in_spite_of(trouble, arena, pods_seen, request_kind, injected):
    arena.add_nodes(1)
    trouble(request_kind, injected)

    arena.submit(gang("heat", size=MEMBERS))

    arena.until_placed("heat")
    assert len(arena.pods("heat")) == len(pods_seen.uids("heat")) == MEMBERS


def test_gang_whose_pods_the_server_does_not_take_is_undone_until_it_does(trouble, arena, pods_seen):
    arena.add_nodes(1)
    trouble(CREATING, Injected(503), times=6, spared=2)

    arena.submit(gang("heat", size=MEMBERS))

    arena.until("heat", "Placed", "False", "ApiUnavailable")
    assert pods_seen.bound_at_once("heat") == {0}
    arena.until_placed("heat")
    assert arena.status("heat")["attempt"] == 2


def test_refused_binding_takes_back_those_that_were_not(trouble, arena, pods_seen):
    arena.add_nodes(1)
    trouble(BINDING, Injected(422), times=1, spared=2)

    arena.submit(gang("heat", size=MEMBERS))

    arena.until_events("heat", "BindInterrupted")
    assert arena.pods("heat", attempt=1) == []
    arena.until_placed("heat")
    assert [pod["metadata"]["name"] for pod in arena.pods("heat")] == [f"heat-2-{rank}" for rank in range(MEMBERS)]
    for pods in pods_seen.history:
        assert len({pod.attempt for pod in pods.values()}) <= 1


def test_member_that_was_created_although_the_answer_never_came_is_taken_back(trouble, arena, pods_seen):
    arena.add_nodes(1)
    # Each of the six tries is carried out or conflicts with the first, and none is answered.
    trouble(CREATING, Injected(0, is_lost=True), times=6 * MEMBERS)

    arena.submit(gang("heat", size=MEMBERS))

    arena.until("heat", "Placed", "False", "ApiUnavailable")
    arena.until_placed("heat")
    assert len(arena.pods("heat")) == MEMBERS
    assert {pod.attempt for pod in pods_seen.history[-1].values()} == {2}


def test_operator_goes_on_after_the_api_server_was_away(operator, proxy, arena):
    arena.add_nodes(1, cpu="4")
    arena.submit(gang("before", run_for="2s"))
    arena.until_placed("before")

    arena.api.restart(Component.API_SERVER)
    arena.submit(gang("after"))

    arena.until_placed("after")
    arena.until_complete("before")


def test_what_happened_while_no_watch_stood_is_found_out(operator, proxy, arena, background):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    proxy.is_deaf = True
    background.run(proxy.drop_watches())
    arena.delete_gang("heat")
    eventually(lambda: not arena.pods("heat"))
    arena.submit(gang("next"))
    proxy.is_deaf = False

    arena.until_placed("next")
