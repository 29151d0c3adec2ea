"""What must hold at every moment, seen by an observer who watches all pods."""

from builders.manifests import bid, foreign_pod, from_now, gang
from eventually import eventually

SIZES = {"a": 3, "b": 5, "c": 7, "d": 2, "e": 6, "f": 4}


def test_committed_requests_never_exceed_what_a_node_has(operator, arena, pods_seen):
    nodes = arena.add_nodes(3, cpu="3")
    arena.create(foreign_pod("foreign", nodes[0]))
    for name, size in SIZES.items():
        arena.submit(gang(name, size=size, run_for="300ms"))

    arena.until_complete(*SIZES)

    most = pods_seen.most_committed()
    assert set(most) == set(nodes), "every node was used"
    assert max(most.values()) <= 3000


def test_no_gang_stays_with_some_members_bound_and_others_not(operator, arena, pods_seen):
    arena.add_nodes(3, cpu="3")
    for name, size in SIZES.items():
        arena.submit(gang(name, size=size, run_for="300ms"))

    arena.until_complete(*SIZES)

    for name, size in SIZES.items():
        assert {pod.attempt for pod in pods_seen.ever.values() if pod.gang == name} == {1}
        assert len(pods_seen.uids(name)) == size
        assert max(pods_seen.bound_at_once(name)) == size


def test_gang_is_created_whole_before_any_member_is_bound(operator, arena, pods_seen):
    arena.add_nodes(2)

    arena.submit(gang("heat", size=8))
    arena.until_placed("heat")

    eventually(lambda: max(pods_seen.bound_at_once("heat")) == 8)
    before = pods_seen.history[pods_seen.first_bound("heat")]
    assert len(before) == 8


def test_further_cycles_after_success_change_nothing(operator, arena):
    node, _ = arena.add_nodes(2)
    arena.submit(gang("heat", size=(2, 4), work={"serialTime": "1h"}))
    eventually(lambda: "startedAt" in arena.status("heat"))
    arena.submit(gang("huge", size=50))
    arena.until("huge", "Placed", "False", "NotEnoughRoom")
    arena.until_events("heat", "GangPlaced")
    arena.until_events("huge", "GangUnplaceable")
    # In the first one the operator still counts what it has written before, as the event that was seen last.
    plan_again(operator, arena, node, "first")
    before, writes = versions(arena), operator.writes()

    for label in range(5):
        plan_again(operator, arena, node, str(label))

    assert versions(arena) == before
    assert operator.writes() == writes


def test_node_taken_back_soon_holds_no_gang_expected_to_run_past(operator, arena):
    soon, free = arena.add_nodes(2, cpu="8")
    arena.create(bid(soon, capacity="4", availableUntil=from_now(600)))

    for number in range(4):
        arena.submit(gang(f"long-{number}", size=2, work={"serialTime": "8h"}))
    arena.submit(gang("short", size=2, work={"serialTime": "10m"}))

    arena.until_placed("short", *(f"long-{number}" for number in range(4)))
    assert {node for number in range(4) for node in arena.nodes_of(f"long-{number}")} == {free}
    assert set(arena.nodes_of("short")) == {soon}


def test_restart_moves_nothing(operator, arena, pods_seen):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=4))
    eventually(lambda: "startedAt" in arena.status("heat"))
    arena.submit(gang("huge", size=50))
    arena.until("huge", "Placed", "False", "NotEnoughRoom")
    before = versions(arena)

    assert operator.stop() == 0
    operator.start()
    eventually(lambda: planned(operator) >= 1)

    assert versions(arena) == before
    assert operator.writes() == 0
    assert len(pods_seen.ever) == 4


def versions(arena):
    """The version of every GangJob and pod of the arena."""
    listed = [arena.api.request("GET", path)["items"] for path in (arena.gangs, f"{arena.core}/pods")]
    return {one["metadata"]["uid"]: one["metadata"]["resourceVersion"] for items in listed for one in items}


def plan_again(operator, arena, node, label):
    """Change a node, and wait until a plan was made after that."""
    cycles = planned(operator)
    arena.api.request("PATCH", f"/api/v1/nodes/{node}", {"metadata": {"labels": {"turn": label}}})
    eventually(lambda: planned(operator) > cycles)


def planned(operator):
    """How many cycles have planned and come to their end, in this life."""
    return operator.metrics()['lockstep_cycles_total{result="ok"}']
