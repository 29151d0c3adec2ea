"""etcd is restored from a backup under a running operator: objects vanish, and go back in time with their versions."""

import pytest

from builders.manifests import bid, gang
from eventually import eventually
from live.arena import Arena
from live.patient import patient
from live.quick_start import Forked
from live.watching import watched_pods
from lockstep.watch.own_lists import RELIST_SECONDS
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Options, start

# A list every two minutes shows what every watch has missed.
PATIENCE_SECONDS = 2 * RELIST_SECONDS


@pytest.fixture(scope="module")
def control_plane(tmp_path_factory):
    """A control plane of these tests' own: what they undo is everybody's."""
    addons = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER})
    with start(Options(name="set-back", addons=addons, state=tmp_path_factory.mktemp("sandboxes"))) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def installed(control_plane):
    """With everything of ours applied."""
    install(control_plane)
    return control_plane


@pytest.fixture(scope="module")
def operator(installed, tmp_path_factory):
    """An operator of this control plane's."""
    kubeconfig = installed.kubeconfig_for_service_account("lockstep-system", "lockstep")
    with running(OperatorProcess(kubeconfig, tmp_path_factory.mktemp("operator") / "log", spawn=Forked)) as process:
        yield process


@pytest.fixture
def arena(installed, tmp_path):
    """A namespace and nodes of the test's own."""
    name = f"set-back-{tmp_path.name[-1]}"
    installed.create_namespace(name)
    arena = Arena(patient(installed), name)
    yield arena
    arena.close()


def test_operator_follows_an_api_server_that_was_set_back(operator, arena, background, tmp_path):
    node, _ = arena.add_nodes(2, cpu="2")
    arena.create(bid(node))
    arena.submit(gang("before", size=2))
    eventually(lambda: "startedAt" in arena.status("before"))
    arena.submit(gang("waits", size=4))
    arena.until("waits", "Planned", "False")
    arena.api.back_up(tmp_path / "backup")

    eventually(lambda: arena.status("before"), seconds=PATIENCE_SECONDS)
    arena.patch_bid(node, slots=2)
    arena.delete_gang("before")
    arena.until_placed("waits", seconds=PATIENCE_SECONDS)
    arena.submit(gang("vanishes", size=1))
    arena.until("vanishes", "Planned", "False", seconds=PATIENCE_SECONDS)
    arena.api.set_back(tmp_path / "backup")

    # The two members of "before" run again, or still; nothing else is there.
    with watched_pods(arena.api, arena.namespace, background) as seen:
        arena.until("waits", "Planned", "False", seconds=PATIENCE_SECONDS)
        arena.delete_gang("before")
        arena.until_placed("waits", seconds=PATIENCE_SECONDS)
        assert seen.bound_at_once("waits") <= set(range(5))
    arena.submit(gang("after", size=1, cpu="100m"))
    arena.until("after", "Planned", "False", seconds=PATIENCE_SECONDS)
    arena.delete_gang("waits")
    arena.until_placed("after", seconds=PATIENCE_SECONDS)
    assert operator.is_alive
