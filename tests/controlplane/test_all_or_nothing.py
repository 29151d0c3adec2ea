"""A gang lands whole or leaves nothing: with too little room, in both orders, beside others, under a quota."""

import pytest

from builders.manifests import foreign_pod, gang

pytestmark = pytest.mark.usefixtures("operator")


@pytest.mark.parametrize(("first", "second"), [("small", "large"), ("large", "small")])
def test_of_two_gangs_that_fit_alone_only_one_lands(arena, pods_seen, first, second):
    arena.add_nodes(4, cpu="2")
    sizes = {"small": 5, "large": 8}
    arena.submit(gang(first, size=sizes[first]))
    arena.until_placed(first)

    arena.submit(gang(second, size=sizes[second]))

    refused = arena.until(second, "Placed", "False", "HoldsNodes")
    assert refused["message"].startswith(
        f"It needs {sizes[second]} members, and {8 - sizes[first]} fit while {arena.namespace}/{first} holds "
    )
    assert len(arena.pods(first)) == sizes[first]
    assert pods_seen.uids(second) == set()


def test_two_gangs_at_once_never_share_the_room_of_one(arena, pods_seen):
    arena.add_nodes(4, cpu="2")
    sizes = {"left": 6, "right": 6}
    for name, size in sizes.items():
        arena.submit(gang(name, size=size, run_for="1s"))

    arena.until_complete(*sizes)

    assert max(pods_seen.most_committed().values()) <= 2000
    assert len(pods_seen.uids("left")) == len(pods_seen.uids("right")) == 6


def test_gang_lands_when_another_schedulers_pod_goes(arena, pods_seen):
    node, _ = arena.add_nodes(2, cpu="2")
    arena.create(foreign_pod("foreign", node))
    arena.submit(gang("heat", size=4))
    refused = arena.until("heat", "Placed", "False", "HoldsNodes")
    assert "4" in refused["message"]
    assert pods_seen.uids("heat") == set()

    arena.delete_pod("foreign")

    arena.until_placed("heat")


def test_gang_lands_when_another_schedulers_pod_ends(arena):
    node, _ = arena.add_nodes(2, cpu="2")
    arena.create(foreign_pod("foreign", node))
    arena.submit(gang("heat", size=4))
    arena.until("heat", "Placed", "False", "HoldsNodes")

    arena.patch_pod_status("foreign", {"phase": "Succeeded"})

    arena.until_placed("heat")


def test_quota_that_refuses_the_seventh_pod_leaves_nothing_of_the_gang(arena, pods_seen):
    arena.add_nodes(4)
    arena.limit_pods(6)

    arena.submit(gang("heat", size=16))

    refused = arena.until("heat", "Placed", "False", "QuotaExceeded")
    assert "exceeded quota" in refused["message"]
    assert refused["message"].startswith("Attempt 1 was torn down: ")
    # The status is written after the last pod has gone, and the next attempt comes later.
    assert arena.pods("heat", attempt=1) == []
    assert pods_seen.bound_at_once("heat") == {0}


def test_gang_refused_by_a_quota_lands_when_it_is_raised(arena, pods_seen):
    arena.add_nodes(4)
    arena.limit_pods(6)
    arena.submit(gang("heat", size=16))
    arena.until("heat", "Placed", "False", "QuotaExceeded")

    arena.raise_limit(16)

    arena.until_placed("heat")
    assert len(arena.pods("heat")) == 16
    assert arena.status("heat")["attempt"] > 1


def test_interrupted_attempt_is_reported_in_an_event(arena):
    arena.add_nodes(1)
    arena.limit_pods(1)

    arena.submit(gang("heat", size=2))

    [event, *_] = arena.until_events("heat", "QuotaExceeded")
    assert event["type"] == "Warning"
    assert event["note"].startswith("The API server refused pod heat-1-")
