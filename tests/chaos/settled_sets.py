"""What must be true of ReplicaSets when there is room for all: each has all of its pods on nodes, in the end."""

from chaos.observer import MARKER
from chaos.sets import KEEP, gang_of_set
from chaos.settled import SETTLE_SECONDS
from chaos.world import CORE, POD_GANGS, SETS, World
from eventually import eventually
from live.places import are_bound, places_of
from live.pod_gangs import MEMBER_OF


def check_sets_run(world: World) -> None:
    """Give each ReplicaSet a Gang of its size, and wait until all of its pods are on nodes."""
    there = _names(world, POD_GANGS)
    for one in world.list(SETS):
        name, size = one["metadata"]["name"], {"min": one["spec"]["replicas"]}
        if name in there:
            world.api.request("PATCH", f"{POD_GANGS}/{name}", {"spec": {"size": size}})
        else:
            world.api.request("POST", POD_GANGS, gang_of_set({"name": name, "size": size["min"], "undo": KEEP}))
    eventually(lambda: _all_are_bound(world), seconds=SETTLE_SECONDS)


def check_sets_go(world: World) -> None:
    """Delete all ReplicaSets and their Gangs, and wait until their pods are gone."""
    world.api.request("DELETE", f"{SETS}?propagationPolicy=Background")
    for name in _names(world, POD_GANGS):
        if name != MARKER and not name.startswith("job."):
            world.api.request("DELETE", f"{POD_GANGS}/{name}")
    eventually(lambda: _no_pods_are_left(world), seconds=SETTLE_SECONDS)


def _all_are_bound(world: World) -> bool:
    pods = world.list(f"{CORE}/pods")
    for one in world.list(SETS):
        name = one["metadata"]["name"]
        own = [pod for pod in pods if _set_of(pod) == name and "deletionTimestamp" not in pod["metadata"]]
        status = world.api.request("GET", f"{POD_GANGS}/{name}").get("status")
        assert are_bound(places_of(own), one["spec"]["replicas"]), f"{name} is on {places_of(own)}: {status}"
    return True


def _no_pods_are_left(world: World) -> bool:
    left = [pod["metadata"]["name"] for pod in world.list(f"{CORE}/pods") if _set_of(pod)]
    assert not left, f"{left} are left of ReplicaSets that are gone"
    return True


def _set_of(pod: dict[str, dict[str, dict[str, str]]]) -> str:
    return (pod["metadata"].get("labels") or {}).get(MEMBER_OF, "")


def _names(world: World, path: str) -> list[str]:
    return [str(one["metadata"]["name"]) for one in world.list(path)]
