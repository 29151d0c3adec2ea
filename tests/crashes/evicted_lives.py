"""A life of a Gang whose pods are evicted, since its user has written so: a node is lost for a while."""

from collections.abc import Callable, Mapping
from contextlib import suppress

from crashes.stage import PATIENCE_SECONDS, SIZE, Stage
from eventually import eventually
from live.places import are_anew, are_bound, are_bound_anew
from live.pod_gangs import PodGangs
from sandbox import ApiError

# With this effect Kubernetes itself evicts nothing, so it is no matter of chance who takes the pods away.
_LOST = {"key": "node.kubernetes.io/out-of-service", "effect": "NoSchedule"}
_SETS = "/apis/apps/v1/namespaces/{}/replicasets"


def begin_anew_by_evictions(stage: Stage) -> None:
    """Placed; all of its pods are evicted when a node is lost, and the next ones are placed when that is back."""
    gangs = PodGangs(stage.arena)
    stage.taking_away.append(lambda: _take_away(gangs, stage))
    gangs.submit(stage.name, 2 * SIZE, undo="Evict")
    _create_set(gangs, stage)
    _until(gangs, stage, lambda: are_bound(gangs.places(stage.name), 2 * SIZE))
    before = gangs.places(stage.name)

    _taint(stage, _LOST)
    _until(gangs, stage, lambda: are_anew(gangs.places(stage.name), before, 2 * SIZE))
    _taint(stage)

    _until(gangs, stage, lambda: are_bound_anew(gangs.places(stage.name), before, 2 * SIZE))
    _until(gangs, stage, lambda: "reservedAt" not in gangs.status(stage.name))
    others = {("POST", "pods"), ("DELETE", "pods"), ("PATCH", "pods")} & stage.asked
    assert not others, f"the operator did this to pods of others: {others}"


def _taint(stage: Stage, *taints: Mapping[str, str]) -> None:
    stage.arena.api.request("PATCH", f"/api/v1/nodes/{stage.arena.nodes[0]}", {"spec": {"taints": taints}})


def _until(gangs: PodGangs, stage: Stage, probe: Callable[[], bool]) -> None:
    try:
        eventually(probe, seconds=PATIENCE_SECONDS)
    except AssertionError as error:
        raise AssertionError(f"{gangs.status(stage.name)} | {gangs.places(stage.name)}") from error


def _create_set(gangs: PodGangs, stage: Stage) -> None:
    """A ReplicaSet, which makes a new pod for each that is evicted."""
    template = gangs.template(stage.name, stage.cpu, restartPolicy="Always", terminationGracePeriodSeconds=1)
    selector = {"matchLabels": template["metadata"]["labels"]}
    spec = {"replicas": 2 * SIZE, "selector": selector, "template": template}
    path = _SETS.format(stage.arena.namespace)
    gangs.api.request("POST", path, {"metadata": {"name": stage.name}, "spec": spec})


def _take_away(gangs: PodGangs, stage: Stage) -> None:
    paths = (
        f"{_SETS.format(stage.arena.namespace)}/{stage.name}?propagationPolicy=Background",
        f"{gangs.path}/{stage.name}",
    )
    for path in paths:
        with suppress(ApiError):
            gangs.api.request("DELETE", path)
    _taint(stage)
    eventually(lambda: not gangs.pods(stage.name), seconds=PATIENCE_SECONDS)


EVICTED_LIVES: Mapping[str, Callable[[Stage], None]] = {"begin anew by evictions": begin_anew_by_evictions}
