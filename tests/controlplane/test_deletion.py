"""A GangJob that is deleted leaves no pod, however far it was."""

import pytest

from builders.manifests import bid, from_now, gang
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")


def test_deleted_while_it_waits(arena, pods_seen):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("heat", size=3))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")

    arena.delete_gang("heat")
    arena.add_nodes(1, cpu="2")
    # One behind it lands on the room that it was waiting for.
    arena.submit(gang("next", size=4))

    arena.until_placed("next")
    assert pods_seen.uids("heat") == set()


def test_deleted_while_it_is_planned_for_later(arena, pods_seen):
    [node] = arena.add_nodes(1, cpu="2")
    arena.create(bid(node, availableFrom=from_now(3600)))
    arena.submit(gang("heat", work={"serialTime": "1h"}))
    arena.until("heat", "Planned", reason="StartsLater")

    arena.delete_gang("heat")
    arena.patch_bid(node, availableFrom=None)
    arena.submit(gang("next"))

    arena.until_placed("next")
    assert pods_seen.uids("heat") == set()


def test_deleted_while_its_members_are_being_created(arena):
    arena.add_nodes(2, cpu="32")
    arena.submit(gang("heat", size=60))
    eventually(lambda: arena.pods("heat"))

    arena.delete_gang("heat")

    arena.until_no_pods("heat")
    until_room_is_back(arena, 64)


def test_deleted_while_its_members_are_being_bound(arena):
    arena.add_nodes(2, cpu="32")
    arena.submit(gang("heat", size=60))
    eventually(lambda: any(arena.nodes_of("heat")))

    arena.delete_gang("heat")

    arena.until_no_pods("heat")
    until_room_is_back(arena, 64)


def test_deleted_while_an_attempt_is_undone(arena):
    arena.add_nodes(1)
    arena.limit_pods(1)
    arena.submit(gang("heat"))
    arena.until("heat", "Placed", "False")

    arena.delete_gang("heat")

    arena.until_no_pods("heat")
    arena.raise_limit(4)
    until_room_is_back(arena, 4)


def test_deleted_once_it_is_placed(arena):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    arena.delete_gang("heat")

    arena.until_no_pods("heat")
    until_room_is_back(arena, 2)


def test_deleted_while_its_members_run(arena):
    arena.add_nodes(1, cpu="2")
    arena.submit(gang("heat", run_for="1h"))
    eventually(lambda: "startedAt" in arena.status("heat"))

    arena.delete_gang("heat")

    arena.until_no_pods("heat")
    until_room_is_back(arena, 2)


def test_deleted_after_it_has_finished(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", run_for="1s"))
    arena.until_complete("heat")
    assert len(arena.pods("heat")) == 2

    arena.delete_gang("heat")

    arena.until_no_pods("heat")


def test_gang_of_the_same_name_begins_anew(arena, pods_seen):
    arena.add_nodes(1, cpu="2")
    first = arena.submit(gang("heat"))
    arena.until_placed("heat")

    arena.delete_gang("heat")
    second = arena.submit(gang("heat"))

    arena.until_placed("heat")
    assert arena.status("heat")["attempt"] == 1
    owners = {pod["metadata"]["ownerReferences"][0]["uid"] for pod in arena.pods("heat")}
    assert owners == {second["metadata"]["uid"]} != {first["metadata"]["uid"]}
    assert max(pods_seen.most_committed().values()) <= 2000


def until_room_is_back(arena, cpus):
    """Wait until a gang that needs all of the arena's CPUs is placed."""
    arena.submit(gang("all", size=cpus))
    arena.until_placed("all")
