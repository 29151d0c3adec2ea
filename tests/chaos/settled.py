"""What must be true when all trouble is over: nothing stuck, nothing held, belief equal to the cluster."""

from collections import Counter
from typing import Any

from builders.manifests import gang
from chaos.invariants import ENDED, has_ended, is_true, milli, owner_of, reason
from chaos.world import BIDS, BUT_MARKER, CORE, FIRST_NODES, GANGS, LABEL, MARKER, NODES, World
from eventually import eventually

# A watch that has gone silent is noticed after 90 seconds, the longest back-off is a minute.
SETTLE_SECONDS = 200
WAITING = {
    *("NotEnoughRoom", "NoNodeFits", "WindowTooShort", "HeldByGangsInFront", "HoldsNodes", "HeldByLastingPods"),
    *("StartsLater", "DeadlineCannotBeMet", "NotPlanned", "GangSuspended"),
}
PROBE = "gang-probe"
FRESH_NODE = "node-fresh"


def check_settled(world: World) -> None:
    """Wait until everything has settled; raise an AssertionError with what has not."""
    eventually(lambda: _is_up(world), seconds=SETTLE_SECONDS)
    eventually(lambda: _nothing_is_half_done(world), seconds=SETTLE_SECONDS)
    _check_probe(world)
    eventually(lambda: _belief_is_the_cluster(world))


def check_empty(world: World) -> None:
    """Delete all gangs, and wait until nothing of them is left."""
    for one in world.list(GANGS):
        path = f"{GANGS}/{one['metadata']['name']}"
        if one["metadata"].get("finalizers"):
            world.api.request("PATCH", path, {"metadata": {"finalizers": None}})
    world.api.request("DELETE", f"{GANGS}{BUT_MARKER}")
    eventually(lambda: _nothing_is_left(world), seconds=SETTLE_SECONDS)


def _is_up(world: World) -> bool:
    world.supervise()
    return world.operator.is_ready()


def _nothing_is_half_done(world: World) -> bool:
    gangs = {one["metadata"]["uid"]: one for one in world.list(GANGS)}
    members: dict[str, list[Any]] = {uid: [] for uid in gangs}
    for pod in world.list(f"{CORE}/pods"):
        owner = owner_of(pod)
        if owner is not None:
            assert owner in gangs, f"pod {pod['metadata']['name']} has no gang any more"
            members[owner].append(pod)
    for uid, one in gangs.items():
        if one["metadata"]["name"] != MARKER:
            _check_gang(one, members[uid])
    held = world.operator.metrics()["lockstep_assumed_pods"]
    assert held == 0, f"{held:g} members are assumed on nodes"
    return True


def _check_gang(one: Any, pods: list[Any]) -> None:
    name, status, says = one["metadata"]["name"], one.get("status") or {}, _says(one)
    left = [pod["metadata"]["name"] for pod in pods]
    if "deletionTimestamp" in one["metadata"] or has_ended(status):
        # What has ended stays for its logs as long as the gang does.
        running = [pod["metadata"]["name"] for pod in pods if pod["status"]["phase"] not in ENDED]
        assert not running, f"{name} has ended or is being deleted, and {running} run"
    elif is_true(status, "Placed"):
        assert not one["spec"].get("suspend"), f"{name} is suspended, and placed: {says}"
        size = sum(entry["count"] for entry in status["members"])
        bound = [pod for pod in pods if pod["spec"].get("nodeName") and "deletionTimestamp" not in pod["metadata"]]
        assert len(bound) == len(left) <= size, f"{name} is placed with {size} members, and has {left}: {says}"
        assert "startedAt" in status, f"{name} is placed and has not started: {says}"
    else:
        assert not left, f"{name} is not placed, and has {left}: {says}"
        assert not status.get("reservedAt"), f"{name} holds its reservation: {says}"
        refused = says.startswith("Accepted=False")
        wanted = one["spec"].get("suspend", False)
        assert refused or is_true(status, "Suspended") == wanted, f"{name} is to be suspended {wanted}: {says}"
        assert refused or reason(status, "Planned") in WAITING, f"{name} does not say why it waits: {says}"


def _check_probe(world: World) -> None:
    """A gang that surely fits is placed, unless all room is taken: no gang in front of it can claim or hold nodes."""
    world.add_node(FRESH_NODE, "4")
    if not _has_room(world):
        return
    first = {"priorityClassName": "chaos-first"}
    world.submit(gang(PROBE, size=1, cpu="100m", pod={"nodeSelector": {LABEL: "yes"}}, **first))
    eventually(lambda: _probe_runs(world))


def _probe_runs(world: World) -> bool:
    one = world.api.request("GET", f"{GANGS}/{PROBE}")
    starts = "startedAt" in (one.get("status") or {})
    # Gangs that rested after a failure may have taken the room in front of it.
    assert starts or not _has_room(world), f"the last gang does not start: {_says(one)}"
    return True


def _has_room(world: World) -> bool:
    """Whether there is room on a node that no owner has closed."""
    free = _free(world)
    return max(free[name] for name in ({*FIRST_NODES} - world.with_owners) | {FRESH_NODE}) >= 1000


def _says(one: Any) -> str:
    conditions = (one.get("status") or {}).get("conditions") or ()
    return " | ".join(f"{c['type']}={c['status']} {c['reason']}: {c['message']}" for c in conditions)


def _belief_is_the_cluster(world: World) -> bool:
    """Compare the CPU that is free in the snapshot with what the API server's objects leave."""
    world.api.request("PATCH", f"{NODES}/{MARKER}", {"metadata": {"labels": {"turn": str(id(object()))}}})
    snapshot = world.operator.document("/debug/snapshot")["snapshot"]
    column = snapshot["resources"].index("cpu")
    found = {name: row[column] for name, row in zip(snapshot["nodes"]["names"], snapshot["free"], strict=True)}
    there = _free(world)
    differences = {name: (found.get(name), free) for name, free in there.items() if found.get(name) != free}
    assert not differences, f"free in the snapshot and really free, in milli-CPU: {differences}"
    assert set(found) - {MARKER} == set(there), f"nodes {sorted(found)} are in the snapshot, {sorted(there)} there"
    return True


def _free(world: World) -> dict[str, int]:
    """What is free on each node, in milli-CPU. Foreign pods with poisonous requests are gone by then."""
    taken: Counter[str] = Counter()
    for pod in world.list(f"{CORE}/pods"):
        if pod["spec"].get("nodeName") and pod["status"]["phase"] not in ENDED:
            taken[pod["spec"]["nodeName"]] += milli(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"])
    nodes = {one["metadata"]["name"]: milli(one["status"]["allocatable"]["cpu"]) for one in world.list(NODES)}
    return {name: cpu - taken[name] for name, cpu in nodes.items() if name != MARKER}


def _nothing_is_left(world: World) -> bool:
    names = [pod["metadata"]["name"] for pod in world.list(f"{CORE}/pods") if owner_of(pod)]
    assert not names, f"pods {names} are left of gangs that are gone"
    gangs = {one["metadata"]["name"] for one in world.list(GANGS)} - {MARKER}
    assert not gangs, f"gangs {gangs} are left"
    held = world.operator.metrics()["lockstep_assumed_pods"]
    assert held == 0, f"{held:g} members are assumed on nodes"
    assert [one["metadata"]["name"] for one in world.list(BIDS)] == [MARKER]
    return True
