"""Each phase of a gang, and each thing that its owner, its members or time may do then: what follows of it."""

from typing import NamedTuple

import pytest

from builders.manifests import bid, failed_status, from_now, gang, priority_class
from eventually import eventually
from live.arena import BIDS

pytestmark = pytest.mark.usefixtures("operator")


class Stage(NamedTuple):
    """How a gang named heat gets there, whether it has been active and holds room by then, and on how many CPUs."""

    reach: object
    is_active: bool
    cpus: int = 4
    holds_room: bool = False


def wait(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=5))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")


def plan_for_later(arena):
    for node in arena.add_nodes(2, cpu="2"):
        arena.create(bid(node, availableFrom=from_now(3600)))
    arena.submit(gang("heat", work={"serialTime": "1h"}))
    arena.until("heat", "Planned", reason="StartsLater")


def begin(arena):
    arena.add_nodes(2, cpu="32")
    arena.submit(gang("heat", size=60))
    eventually(lambda: arena.pods("heat"))


def run(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4))
    eventually(lambda: "startedAt" in arena.status("heat"))


def be_undone(arena):
    """A member is gone, and another one stays, so that the attempt can't be undone yet."""
    run(arena)
    arena.patch_pod("heat-1-1", finalizers=["example.com/kept"])
    arena.delete_pod("heat-1-0")
    arena.until("heat", "Placed", "False", "Undoing")


def rest(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, failurePolicy={"maxRestarts": 3, "backoff": "10m"}))
    eventually(lambda: "startedAt" in arena.status("heat"))
    arena.patch_pod_status("heat-1-2", failed_status(3))
    arena.until("heat", "Planned", "False", "ReservationReleased")


def be_suspended(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, suspend=True))
    arena.until("heat", "Suspended")


def succeed(arena):
    arena.add_nodes(2, cpu="2")
    arena.submit(gang("heat", size=4, run_for="300ms"))
    arena.until_complete("heat")


STAGES = {
    "waiting": Stage(wait, is_active=False),
    "planned for later": Stage(plan_for_later, is_active=False),
    "being made": Stage(begin, is_active=False, cpus=64, holds_room=True),
    "running": Stage(run, is_active=True, holds_room=True),
    "being undone": Stage(be_undone, is_active=True),
    "resting": Stage(rest, is_active=True),
    "suspended": Stage(be_suspended, is_active=False),
    "complete": Stage(succeed, is_active=True),
}


def staged(*names):
    return pytest.mark.parametrize("stage", [pytest.param(STAGES[name], id=name) for name in names])


UNFINISHED = [name for name in STAGES if name != "complete"]


@staged(*UNFINISHED)
def test_suspended_gang_holds_nothing_and_resumes(arena, stage):
    stage.reach(arena)

    arena.change_gang("heat", suspend=True)
    let_go(arena)

    arena.until("heat", "Suspended", reason="GangSuspended")
    assert "reservedAt" not in arena.status("heat")
    arena.until_no_pods("heat")
    arena.change_gang("heat", suspend=False)
    arena.until("heat", "Suspended", "False", "GangResumed")


@staged("being made", "running", "being undone", "resting")
def test_suspended_gang_gives_its_room_to_others_and_comes_back_with_its_age(arena, stage):
    stage.reach(arena)
    created = arena.gang("heat")["metadata"]["creationTimestamp"]

    arena.change_gang("heat", suspend=True)
    let_go(arena)
    arena.until("heat", "Suspended")
    take_all_room(arena, stage)
    arena.change_gang("heat", suspend=False)
    arena.delete_gang("all")

    arena.until_placed("heat")
    assert arena.gang("heat")["metadata"]["creationTimestamp"] == created


def test_gang_that_has_ended_is_not_suspended(arena):
    succeed(arena)

    arena.change_gang("heat", suspend=True)
    take_all_room(arena, STAGES["complete"])

    assert arena.condition("heat", "Suspended") == {}
    assert len(arena.pods("heat")) == 4


@staged(*STAGES)
@pytest.mark.parametrize("propagation", ["Foreground", "Background"])
def test_deleted_gang_leaves_nothing(arena, stage, propagation):
    stage.reach(arena)

    arena.api.request("DELETE", f"{arena.gangs}/heat", {"propagationPolicy": propagation})
    let_go(arena)

    eventually(lambda: arena.is_gone("heat"))
    arena.until_no_pods("heat")
    take_offers_back(arena)
    take_all_room(arena, stage)


@staged(*(name for name, stage in STAGES.items() if stage.is_active and name != "complete"))
def test_gang_that_is_active_for_too_long_fails(arena, stage):
    stage.reach(arena)

    arena.change_gang("heat", activeDeadlineSeconds=1)
    let_go(arena)

    arena.until("heat", "Failed", reason="DeadlineExceeded")
    eventually(lambda: {pod["status"]["phase"] for pod in arena.pods("heat")} <= {"Failed"})
    take_all_room(arena, stage)


@staged("waiting", "planned for later", "suspended")
def test_gang_that_never_ran_is_not_active(arena, stage):
    stage.reach(arena)

    arena.change_gang("heat", activeDeadlineSeconds=1)
    arena.submit(gang("other", size=1, suspend=True))
    arena.until("other", "Suspended")

    assert arena.condition("heat", "Complete")["status"] == "False"
    assert "activeSince" not in arena.status("heat")


@staged("being made", "running")
def test_gang_of_which_a_member_fails_fails(arena, stage):
    stage.reach(arena)
    member = arena.pods("heat")[0]["metadata"]["name"]

    arena.patch_pod_status(member, failed_status(3))

    arena.until("heat", "Failed", reason="MemberFailed")
    assert member in arena.condition("heat", "Complete")["message"]
    take_all_room(arena, stage)


@staged("being undone")
def test_member_that_fails_while_its_attempt_is_undone_does_not_count(arena, stage):
    stage.reach(arena)

    arena.patch_pod_status("heat-1-1", failed_status(3))
    let_go(arena)

    eventually(lambda: arena.status("heat")["attempt"] == 2)
    arena.until_placed("heat")


@staged(*STAGES)
def test_more_urgent_gang_takes_all_room(arena, stage):
    """A gang that holds room gives way, and comes back; one that holds none keeps its status."""
    stage.reach(arena)
    name = f"{arena.pool}-urgent"
    arena.create(priority_class(name, 1000, policy="PreemptLowerPriority"))

    arena.submit(gang("urgent", size=stage.cpus, priorityClassName=name))
    take_offers_back(arena)
    let_go(arena)

    arena.until_placed("urgent")
    assert len(arena.pods("urgent")) == stage.cpus
    assert {pod["status"]["phase"] for pod in arena.pods("heat")} <= {"Succeeded"}
    arena.delete_gang("urgent")
    if stage.holds_room:
        assert arena.condition("heat", "Preempted")["reason"]
        arena.until_placed("heat")
        assert arena.status("heat")["attempt"] == 2


@staged("being made", "running", "being undone")
def test_gang_of_which_a_node_is_lost_lands_elsewhere(arena, stage):
    stage.reach(arena)
    lost = arena.pods("heat")[-1]["spec"].get("nodeName") or arena.nodes[-1]

    arena.add_nodes(1, cpu=str(stage.cpus // 2))
    lose(arena, lost)
    let_go(arena)

    eventually(lambda: lost not in arena.nodes_of("heat") and arena.condition("heat", "Placed")["status"] == "True")
    assert len({pod["metadata"]["labels"]["lockstep.dev/attempt"] for pod in arena.pods("heat")}) == 1
    assert "" not in arena.nodes_of("heat")


@staged("waiting", "planned for later", "resting", "suspended", "complete")
def test_lost_node_changes_nothing_for_a_gang_that_is_not_there(arena, stage):
    stage.reach(arena)
    before = arena.status("heat").get("attempt")

    lose(arena, arena.nodes[-1])
    arena.submit(gang("other", size=1, suspend=True))
    arena.until("other", "Suspended")

    assert arena.status("heat").get("attempt") == before
    assert {pod["status"]["phase"] for pod in arena.pods("heat")} <= {"Succeeded"}


def lose(arena, node):
    """Say that a node will not come back, as an administrator does."""
    taint = {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}
    arena.api.request("PATCH", f"/api/v1/nodes/{node}", {"spec": {"taints": [taint]}})


def let_go(arena):
    """No finalizer keeps a member any more."""
    for pod in arena.pods("heat"):
        if "finalizers" in pod["metadata"]:
            arena.patch_pod(pod["metadata"]["name"], finalizers=None)


def take_offers_back(arena):
    """Nodes are free from now on."""
    for offer in arena.api.request("GET", BIDS)["items"]:
        if offer["metadata"]["name"].startswith(f"{arena.pool}-"):
            arena.delete_bid(offer["metadata"]["name"])


def take_all_room(arena, stage):
    """Wait until a gang that needs all CPUs is placed."""
    arena.submit(gang("all", size=stage.cpus))
    arena.until_placed("all")
