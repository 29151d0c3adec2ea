"""Fifty gangs at once where twenty have room: all come to their end, in order, and never too many at a time."""

import pytest

from builders.manifests import gang, priority_class

pytestmark = pytest.mark.usefixtures("operator")

GANGS = 50
AT_ONCE = 20
MEMBERS = 2


def test_all_finish_and_never_more_than_fit(arena, pods_seen):
    arena.add_nodes(10, cpu="4")
    names = [f"g{number:02}" for number in range(GANGS)]
    for name in names:
        arena.submit(gang(name, size=MEMBERS, run_for="500ms", work={"serialTime": "1s"}))

    arena.until_complete(*names, seconds=90)

    assert len(pods_seen.ever) == GANGS * MEMBERS
    assert max(pods_seen.most_committed().values()) <= 4000
    assert most_gangs_at_once(pods_seen) <= AT_ONCE
    for name in names:
        assert len({pod.attempt for pod in pods_seen.ever.values() if pod.gang == name}) == 1


def test_order_is_priority_then_age(arena, pods_seen):
    arena.add_nodes(1, cpu="2")
    urgent = f"{arena.pool}-urgent"
    arena.create(priority_class(urgent, 1000))
    arena.submit(gang("running"))
    arena.until_placed("running")
    arena.submit(gang("old", run_for="300ms"))
    # Creation times have whole seconds; between equals the name decides.
    arena.submit(gang("older-than-young", run_for="300ms"))
    arena.submit(gang("young", run_for="300ms"))
    arena.submit(gang("urgent", run_for="300ms", priorityClassName=urgent))
    for name in ("old", "older-than-young", "young", "urgent"):
        arena.until(name, "Placed", "False")

    arena.delete_gang("running")

    waiting = ["old", "older-than-young", "young", "urgent"]
    arena.until_complete(*waiting)
    assert sorted(waiting, key=pods_seen.first_bound) == ["urgent", "old", "older-than-young", "young"]


def most_gangs_at_once(pods_seen):
    """The most gangs that had unfinished members on nodes in the same moment."""
    return max(
        len({pod.gang for pod in pods.values() if pod.node and pod.phase not in ("Succeeded", "Failed")})
        for pods in pods_seen.history
    )
