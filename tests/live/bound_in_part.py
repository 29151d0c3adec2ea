"""A Job of four pods of which two are bound: the proxy refuses the others, and that the operator resumes the Job."""

import itertools
from typing import Any

from eventually import eventually
from live.arena import Arena
from live.pod_gangs import SEAT, PodGangs
from live.proxy import Fault, Injected, Proxy
from lockstep.api.names import SUSPENDED_LABEL

GANG = "job.heat"
SIZE = 4
_BOUND = 2


def create_bound_in_part(arena: Arena, gangs: PodGangs, proxy: Proxy) -> None:
    """Create the Job and its nodes, and wait until two of its pods are bound."""
    proxy.fault = _two_bindings(gangs)
    arena.add_nodes(SIZE, cpu="1")
    gangs.create_job("", SIZE, name="heat")
    eventually(lambda: gangs.bound(GANG) == _BOUND)


def have_it_suspended(arena: Arena, gangs: PodGangs) -> None:
    """Lose the nodes of the other pods, and wait until the operator has suspended the Job and its pods are gone."""
    for node in {*arena.nodes} - {*gangs.nodes_of(GANG)}:
        arena.api.request("DELETE", f"/api/v1/nodes/{node}")
        arena.nodes.remove(node)
    eventually(lambda: is_marked(gangs) and not gangs.pods(GANG))


def found_job(gangs: PodGangs) -> dict[str, Any]:
    """The Job as it is now."""
    return gangs.api.request("GET", f"{gangs.jobs}/heat")


def is_marked(gangs: PodGangs) -> bool:
    """Whether the Job has our mark."""
    return any(
        SUSPENDED_LABEL in job["metadata"].get("labels", {}) for job in gangs.api.request("GET", gangs.jobs)["items"]
    )


def until_placed_whole(gangs: PodGangs) -> None:
    """Wait until all pods of the Job are bound by one attempt, and the Job counts nothing and has no mark."""
    uid = found_job(gangs)["metadata"]["uid"]

    def own() -> list[dict[str, Any]]:
        return [pod for pod in gangs.pods(GANG) if pod["metadata"]["labels"]["controller-uid"] == uid]

    eventually(lambda: [bool(pod["spec"].get("nodeName")) for pod in own()] == [True] * SIZE and not is_marked(gangs))
    gangs.until(GANG, "Placed")
    assert len({pod["metadata"]["annotations"][SEAT].rpartition("/")[0] for pod in own()}) == 1, "one attempt"
    job = found_job(gangs)
    assert (job["metadata"]["uid"], job["spec"].get("suspend", False)) == (uid, False)
    assert job["status"].get("failed", 0) == 0


def _two_bindings(gangs: PodGangs) -> Fault:
    numbers = itertools.count(1)

    def fault(verb: str, resource: str) -> Injected | None:
        if (verb, resource) == ("POST", "pods/binding"):
            return Injected(403) if next(numbers) > _BOUND else None
        return Injected(422) if (verb, resource) == ("PATCH", "jobs") and is_marked(gangs) else None

    return fault
