"""Gangs of one priority are planned by age, which counts only while they ask to run and could."""

import time

import pytest

from builders.manifests import gang
from eventually import eventually
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.usefixtures("operator")

# Times in a status are whole seconds: who waits for so long is older than who has just begun to.
OLDER_SECONDS = 3.0


def fill(arena):
    """Have a gang of unknown end hold all there is."""
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("running", size=2))
    arena.until_placed("running")


def wait(arena, name):
    """Submit a gang that waits for so long that it is older than who comes now."""
    arena.submit(gang(name, size=2))
    arena.until(name, "Planned", "False")
    created = epoch_seconds(arena.gang(name)["metadata"]["creationTimestamp"])
    eventually(lambda: time.time() > created + OLDER_SECONDS)


def until_planned_again(arena, name):
    eventually(lambda: "queuedSince" in arena.status(name))
    assert "waitedSeconds" not in arena.status(name)


def do_nothing(operator):
    pass


def crash(operator):
    operator.kill()
    operator.start()


@pytest.mark.parametrize("meanwhile", [do_nothing, crash])
def test_resumed_gang_comes_behind_those_that_waited(operator, arena, meanwhile):
    fill(arena)
    arena.submit(gang("hoarded", size=2, suspend=True))
    arena.until("hoarded", "Suspended")
    assert arena.status("hoarded")["waitedSeconds"] == 0
    wait(arena, "waiting")

    meanwhile(operator)
    arena.change_gang("hoarded", suspend=False)
    until_planned_again(arena, "hoarded")
    meanwhile(operator)
    arena.delete_gang("running")

    arena.until_placed("waiting")
    assert not arena.pods("hoarded")


def test_gang_that_was_too_large_comes_behind_those_that_waited(arena):
    fill(arena)
    arena.submit(gang("hoarded", size=9))
    eventually(lambda: arena.status("hoarded").get("waitedSeconds") == 0)
    wait(arena, "waiting")

    arena.change_gang("hoarded", size={"min": 2, "max": 2})
    until_planned_again(arena, "hoarded")
    arena.delete_gang("running")

    arena.until_placed("waiting")
    assert not arena.pods("hoarded")


@pytest.mark.parametrize("meanwhile", [do_nothing, crash])
def test_resumed_gang_keeps_what_it_had_earned(operator, arena, meanwhile):
    fill(arena)
    wait(arena, "heat")
    arena.change_gang("heat", suspend=True)
    arena.until("heat", "Suspended")
    earned = arena.status("heat")["waitedSeconds"]
    assert earned >= OLDER_SECONDS - 1

    meanwhile(operator)
    resumed = time.time()
    arena.change_gang("heat", suspend=False)
    until_planned_again(arena, "heat")

    since = epoch_seconds(arena.status("heat")["queuedSince"])
    assert resumed - earned - 1 <= since <= time.time() - earned + 1
