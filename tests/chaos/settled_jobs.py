"""What must be true of Jobs when there is room for all: each runs whole, none is suspended, none has our mark."""

from typing import Any

from chaos.invariants import ENDED, is_true
from chaos.job_invariants import owner_of_kind
from chaos.observer import MARKER
from chaos.settled import SETTLE_SECONDS
from chaos.world import CORE, JOBS, POD_GANGS, World
from eventually import eventually
from lockstep.api.names import SUSPENDED_LABEL


def check_jobs_run(world: World) -> None:
    """Wait until every Job runs whole, or has ended."""
    eventually(lambda: _all_run(world), seconds=SETTLE_SECONDS)


def check_jobs_go(world: World) -> None:
    """Delete all Jobs, and wait until their pods and Gangs are gone, and hold nothing."""
    world.api.request("DELETE", f"{JOBS}?propagationPolicy=Background")
    eventually(lambda: _nothing_is_left(world), seconds=SETTLE_SECONDS)


def _all_run(world: World) -> bool:
    pods = world.list(f"{CORE}/pods")
    for job in world.list(JOBS):
        if job["metadata"]["name"] != MARKER:
            own = [pod for pod in pods if owner_of_kind(pod, "Job") == job["metadata"]["uid"]]
            _check_job(job, own, f"{_says(world, job['metadata']['name'])}; {job['status']}; {len(own)} pods")
    return True


def _check_job(job: Any, pods: list[Any], says: str) -> None:
    name, spec, status = job["metadata"]["name"], job["spec"], job.get("status") or {}
    if is_true(status, "Complete") or is_true(status, "Failed"):
        return
    assert SUSPENDED_LABEL not in (job["metadata"].get("labels") or {}), f"{name} has our mark: {says}"
    assert not spec.get("suspend"), f"{name} is suspended: {says}"
    active = [pod for pod in pods if pod["status"]["phase"] not in ENDED and "deletionTimestamp" not in pod["metadata"]]
    bound = sum("nodeName" in pod["spec"] for pod in active)
    wanted = spec["completions"] - status.get("succeeded", 0)
    assert len(active) == bound == wanted, f"{bound} of the {len(active)} pods of {name} run, not {wanted}: {says}"


def _says(world: World, job: str) -> str:
    gangs = {one["metadata"]["name"]: one.get("status") or {} for one in world.list(POD_GANGS)}
    conditions = gangs.get(f"job.{job}", {}).get("conditions") or ()
    return " | ".join(f"{one['type']}={one['status']} {one['reason']}: {one['message']}" for one in conditions)


def _nothing_is_left(world: World) -> bool:
    pods = [one["metadata"]["name"] for one in world.list(f"{CORE}/pods") if owner_of_kind(one, "Job")]
    assert not pods, f"pods {pods} are left of Jobs that are gone"
    gangs = [one["metadata"]["name"] for one in world.list(POD_GANGS) if one["metadata"]["name"].startswith("job.")]
    assert not gangs, f"Gangs {gangs} are left of Jobs that are gone"
    held = world.operator.metrics()["lockstep_assumed_pods"]
    assert held == 0, f"{held:g} pods are assumed on nodes"
    return True
