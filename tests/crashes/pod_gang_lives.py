"""Lives of Gangs, whose pods others create: each is bound to a seat that was reserved, and none is deleted."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from crashes.stage import PATIENCE_SECONDS, SIZE, Stage
from crashes.urgent_lives import run_urgent_gang
from eventually import eventually
from live.pod_gangs import RANK, SEAT, PodGangs
from live.pod_gangs import SIZE as PLACED_WITH
from lockstep.api.names import SUSPENDED_LABEL
from sandbox import ApiError

_HALF = "950m"


def place_a_job(stage: Stage) -> None:
    """A Job whose pods name a Gang: placed whole, by one attempt."""
    gangs = _gangs(stage)
    gangs.submit(stage.name, 2 * SIZE)
    gangs.create_job(stage.name, 2 * SIZE, cpu=stage.cpu)
    _until_placed(stage, stage.name)
    _check_whole(stage, gangs.pods(stage.name), {str(rank) for rank in range(2 * SIZE)})


def place_several_shapes(stage: Stage) -> None:
    """A launcher and smaller workers, which fill the nodes: placed whole, each in a seat for its own needs."""
    gangs = _gangs(stage)
    gangs.submit(stage.name, 6)
    gangs.create_pods(stage.name, f"{stage.name}-launcher", cpu=stage.cpu)
    gangs.create_pods(stage.name, *(f"{stage.name}-worker-{number}" for number in range(5)), cpu=_HALF)
    _until_placed(stage, stage.name)
    _check_whole(stage, gangs.pods(stage.name), {str(rank) for rank in range(6)})


def make_a_gang(stage: Stage) -> None:
    """A Job that names the scheduler only: the operator makes its Gang, and places it whole."""
    gangs = _gangs(stage)
    gangs.create_job("", SIZE, cpu=stage.cpu, name=stage.name)
    _until_placed(stage, f"job.{stage.name}")
    _check_whole(stage, gangs.pods(f"job.{stage.name}"), {str(rank) for rank in range(SIZE)})


def replace_a_pod(stage: Stage) -> None:
    """A pod of two is lost: the next one is placed beside the other, which runs on. A Job would pause before it.

    The list of hosts has both.
    """
    gangs = _gangs(stage)
    gangs.submit(stage.name, SIZE, hosts="ConfigMap")
    gangs.create_pods(stage.name, f"{stage.name}-a", f"{stage.name}-b", cpu=stage.cpu)
    _until_placed(stage, stage.name)
    before = _uids(gangs, stage)
    stage.arena.delete_pod(f"{stage.name}-a")
    gangs.create_pods(stage.name, f"{stage.name}-c", cpu=stage.cpu)
    eventually(lambda: _are_bound(gangs, stage.name, SIZE, other_than=before), seconds=PATIENCE_SECONDS)
    _until_placed(stage, stage.name)
    assert len(_uids(gangs, stage) & before) == SIZE - 1, "the other runs on"
    assert _listed(gangs, stage) == {_listed_as(pod) for pod in gangs.pods(stage.name)}
    _check_left_alone(stage)


def delete_a_gang_while_binding(stage: Stage) -> None:
    """The Gang is deleted when its first pod was just bound, and created again: its pods run on, or are placed then."""
    gangs = _gangs(stage)
    stage.when["pods/binding"] = lambda: gangs.delete(stage.name)
    gangs.submit(stage.name, 2 * SIZE)
    gangs.create_job(stage.name, 2 * SIZE, cpu=stage.cpu)
    eventually(lambda: not stage.when and not gangs.status(stage.name), seconds=PATIENCE_SECONDS)
    uids = _uids(gangs, stage)
    gangs.submit(stage.name, 2 * SIZE)
    eventually(lambda: _are_bound(gangs, stage.name, 2 * SIZE), seconds=PATIENCE_SECONDS)
    assert _uids(gangs, stage) == uids
    _check_left_alone(stage)


def delete_an_owner_while_binding(stage: Stage) -> None:
    """The Job is deleted when its first pod was just bound: its pods go with it, and the Gang that was made for it."""
    gangs = _gangs(stage)
    stage.when["pods/binding"] = lambda: _delete_job(gangs, stage)
    gangs.create_job("", 2 * SIZE, cpu=stage.cpu, name=stage.name)
    eventually(lambda: not stage.when, seconds=PATIENCE_SECONDS)
    eventually(lambda: not gangs.pods(f"job.{stage.name}"), seconds=PATIENCE_SECONDS)
    eventually(lambda: not gangs.exists(f"job.{stage.name}"), seconds=PATIENCE_SECONDS)
    _check_left_alone(stage)


def place_a_single_pod(stage: Stage) -> None:
    """A pod that needs no others: the operator makes its Gang, and places it by one attempt."""
    gangs = _gangs(stage)
    gangs.create_pods("", stage.name, cpu=stage.cpu)
    _until_placed(stage, f"single.{stage.name}")
    _check_whole(stage, gangs.pods(f"single.{stage.name}"), {"0"})


def make_a_single_pod_anew_while_reserving(stage: Stage) -> None:
    """The pod is deleted when its node was just reserved, and made anew under its name: that one is placed.

    Once it was bound, the kubelets of a sandbox would take the next pod of its name for the same one.
    """
    gangs = _gangs(stage)
    stage.when["gangs/status"] = lambda: _make_anew(gangs, stage)
    gangs.create_pods("", stage.name, cpu=stage.cpu)
    eventually(lambda: not stage.when, seconds=PATIENCE_SECONDS)
    eventually(lambda: gangs.bound(f"single.{stage.name}") == 1, seconds=PATIENCE_SECONDS)
    _until_placed(stage, f"single.{stage.name}")
    [pod] = gangs.pods(f"single.{stage.name}")
    made = gangs.api.request("GET", f"{gangs.path}/single.{stage.name}")
    assert [owner["uid"] for owner in made["metadata"]["ownerReferences"]] == [pod["metadata"]["uid"]]
    _check_left_alone(stage)


def _make_anew(gangs: PodGangs, stage: Stage) -> None:
    gangs.api.request("DELETE", f"{stage.arena.core}/pods/{stage.name}?gracePeriodSeconds=0")
    gangs.create_pods("", stage.name, cpu=stage.cpu)


def begin_anew(stage: Stage) -> None:
    """A pod of a Job is deleted when the first was just bound: the Job begins anew, or its next pod is placed too."""
    gangs = _gangs(stage)
    gang = f"job.{stage.name}"
    stage.when["pods/binding"] = lambda: _delete_waiting_pod(stage, gangs, gang)
    gangs.create_job("", 2 * SIZE, cpu=stage.cpu, name=stage.name, backoffLimit=2 * SIZE)
    eventually(lambda: not stage.when and _are_bound(gangs, gang, 2 * SIZE), seconds=PATIENCE_SECONDS)
    _until_placed(stage, gang)
    eventually(lambda: _is_left_running(gangs, stage), seconds=PATIENCE_SECONDS)
    assert _are_bound(gangs, gang, 2 * SIZE), "it runs on"
    assert len(_attempts(gangs, gang)) == 1, "one attempt"
    _check_left_alone(stage)


def begin_anew_for_an_urgent_gang(stage: Stage) -> None:
    """Placed; the Job is suspended for a more urgent gang, and its next pods are placed whole when that has ended."""
    gangs = _gangs(stage)
    gang = f"job.{stage.name}"
    gangs.create_job("", 2 * SIZE, cpu=stage.cpu, name=stage.name, backoffLimit=0)
    _until_placed(stage, gang)
    before = {pod["metadata"]["uid"] for pod in gangs.pods(gang)}
    run_urgent_gang(stage)
    eventually(lambda: _are_bound(gangs, gang, 2 * SIZE, other_than=before), seconds=PATIENCE_SECONDS)
    _until_placed(stage, gang)
    eventually(lambda: _is_left_running(gangs, stage), seconds=PATIENCE_SECONDS)
    assert len(_attempts(gangs, gang)) == 1, "one attempt"
    assert not _job(gangs, stage)["status"].get("failed"), "nothing failed"


def _gangs(stage: Stage) -> PodGangs:
    """The Gangs of the stage; what this life makes is taken away in the end."""
    gangs = PodGangs(stage.arena)
    stage.taking_away.append(lambda: _take_away(gangs, stage))
    return gangs


def _take_away(gangs: PodGangs, stage: Stage) -> None:
    with suppress(ApiError):
        _delete_job(gangs, stage)
    for pod in _pods(gangs, stage):
        with suppress(ApiError):
            stage.arena.delete_pod(pod["metadata"]["name"])
    with suppress(ApiError):
        gangs.delete(stage.name)
    eventually(lambda: not _pods(gangs, stage), seconds=PATIENCE_SECONDS)
    for name in (stage.name, f"job.{stage.name}", f"single.{stage.name}"):
        eventually(lambda name=name: not gangs.exists(name), seconds=PATIENCE_SECONDS)


def _delete_job(gangs: PodGangs, stage: Stage) -> None:
    gangs.api.request("DELETE", f"{gangs.jobs}/{stage.name}?propagationPolicy=Background")


def _pods(gangs: PodGangs, stage: Stage) -> list[dict[str, Any]]:
    return [pod for gang in (stage.name, f"job.{stage.name}", f"single.{stage.name}") for pod in gangs.pods(gang)]


def _uids(gangs: PodGangs, stage: Stage) -> set[str]:
    return {pod["metadata"]["uid"] for pod in gangs.pods(stage.name)}


def _listed(gangs: PodGangs, stage: Stage) -> set[str]:
    found = gangs.api.request("GET", f"{stage.arena.core}/configmaps/{stage.name}.hosts")
    return {*found["data"]["members"].splitlines()}


def _listed_as(pod: dict[str, Any]) -> str:
    return f"{pod['metadata']['annotations'][RANK]} {pod['metadata']['name']} {pod['spec']['nodeName']}"


def _are_bound(gangs: PodGangs, gang: str, count: int, other_than: frozenset[str] | set[str] = frozenset()) -> bool:
    """Whether so many pods are there, all on nodes, and not all of them as before."""
    pods = gangs.pods(gang)
    are_new = {pod["metadata"]["uid"] for pod in pods} != other_than
    return len(pods) == count and are_new and all(pod["spec"].get("nodeName") for pod in pods)


def _delete_waiting_pod(stage: Stage, gangs: PodGangs, gang: str) -> None:
    waiting = next(pod["metadata"]["name"] for pod in gangs.pods(gang) if not pod["spec"].get("nodeName"))
    stage.arena.delete_pod(waiting)


def _attempts(gangs: PodGangs, gang: str) -> set[str]:
    return {pod["metadata"]["annotations"][SEAT].split("/")[1] for pod in gangs.pods(gang)}


def _is_left_running(gangs: PodGangs, stage: Stage) -> bool:
    """Whether the Job is not suspended, and has no mark of ours."""
    job = _job(gangs, stage)
    return not job["spec"].get("suspend") and SUSPENDED_LABEL not in job["metadata"].get("labels", {})


def _job(gangs: PodGangs, stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = gangs.api.request("GET", f"{gangs.jobs}/{stage.name}")
    return found


def _until_placed(stage: Stage, gang: str) -> None:
    """Wait until the status says that all are placed, and holds nothing any more."""
    gangs = PodGangs(stage.arena)
    gangs.until(gang, "Placed")
    eventually(lambda: "reservedAt" not in gangs.status(gang), seconds=PATIENCE_SECONDS)


def _check_whole(stage: Stage, pods: list[dict[str, Any]], ranks: set[str]) -> None:
    """All pods were placed by one attempt, each with a rank of its own."""
    annotations = [pod["metadata"]["annotations"] for pod in pods]
    assert {one[RANK] for one in annotations} == ranks
    assert {one[SEAT].split("/")[1] for one in annotations} == {"1"}, "one attempt"
    assert {one[PLACED_WITH] for one in annotations} == {str(len(ranks))}
    assert len(pods) == len(ranks)
    _check_left_alone(stage)


def _check_left_alone(stage: Stage) -> None:
    """The operator has created, evicted and deleted no pod."""
    others = {("POST", "pods"), ("DELETE", "pods"), ("POST", "pods/eviction"), ("PATCH", "pods")} & stage.asked
    assert not others, f"the operator did this to pods of others: {others}"


POD_GANG_LIVES: Mapping[str, Callable[[Stage], None]] = {
    life.__name__.replace("_", " "): life
    for life in (
        place_a_job,
        place_several_shapes,
        make_a_gang,
        replace_a_pod,
        delete_a_gang_while_binding,
        delete_an_owner_while_binding,
        place_a_single_pod,
        make_a_single_pod_anew_while_reserving,
        begin_anew,
        begin_anew_for_an_urgent_gang,
    )
}
