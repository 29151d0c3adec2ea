"""The gangs and pods at one moment, as the API server returns them."""

import datetime as dt
import http.client
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandbox.control_plane import Sandbox
from sandbox.errors import SandboxError

GANG_LABEL = "lockstep.dev/gang"
OTHERS = "other"
GANGS_PATH = "/apis/lockstep.dev/v1alpha1/namespaces/default/gangjobs"
PODS_PATH = "/api/v1/namespaces/default/pods"
ENDED = ("Succeeded", "Failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PodCounts:
    """How many pods of a gang are bound, running and finished. A pod that runs or has finished counts as bound too."""

    bound: int
    running: int
    finished: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition in the status of a gang."""

    status: str
    reason: str
    message: str


NOT_YET = Condition(status="Unknown", reason="", message="")


@dataclass(frozen=True, slots=True, kw_only=True)
class GangSight:
    """One gang. ``start`` is in seconds since 1970. ``start`` and ``size`` are None while there is no plan."""

    name: str
    minimum: int
    maximum: int
    size: int | None
    nodes: tuple[str, ...]
    start: float | None
    planned: Condition
    complete: Condition
    pods: PodCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """All gangs in the order of their submission. ``occupants`` has the gangs or pods on each node."""

    gangs: tuple[GangSight, ...]
    occupants: Mapping[str, tuple[str, ...]]


def read_cluster(sandbox: Sandbox) -> Sight:
    """Read the cluster. Raises SandboxError if the API server does not answer."""
    try:
        gangs, pods = sandbox.request("GET", GANGS_PATH)["items"], sandbox.request("GET", PODS_PATH)["items"]
    except (OSError, http.client.HTTPException) as error:
        raise SandboxError(f"The API server does not answer any more: {error}.") from error
    gangs.sort(key=lambda gang: (gang["metadata"]["creationTimestamp"], gang["metadata"]["name"]))
    return Sight(gangs=tuple(_gang(gang, pods) for gang in gangs), occupants=_occupants(pods))


def _gang(manifest: Mapping[str, Any], pods: list[dict[str, Any]]) -> GangSight:
    status = manifest.get("status") or {}
    conditions = {one["type"]: one for one in status.get("conditions", ())}
    name, size = manifest["metadata"]["name"], manifest["spec"]["size"]
    start = status.get("start")
    return GangSight(
        name=name,
        minimum=size["min"],
        maximum=size["max"],
        size=status.get("size"),
        nodes=tuple(member["node"] for member in status.get("members") or ()),
        start=None if start is None else _seconds(start),
        planned=_condition(conditions.get("Planned")),
        complete=_condition(conditions.get("Failed") or conditions.get("Complete")),
        pods=_counts([pod for pod in pods if _owner(pod) == name]),
    )


def _condition(written: Mapping[str, Any] | None) -> Condition:
    if written is None:
        return NOT_YET
    return Condition(status=written["status"], reason=written["reason"], message=written["message"])


def _counts(pods: list[dict[str, Any]]) -> PodCounts:
    phases = Counter(pod["status"]["phase"] for pod in pods)
    bound = sum("nodeName" in pod["spec"] for pod in pods)
    return PodCounts(bound=bound, running=phases["Running"], finished=phases["Succeeded"])


def _occupants(pods: list[dict[str, Any]]) -> dict[str, tuple[str, ...]]:
    occupants: dict[str, tuple[str, ...]] = {}
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node is not None and pod["status"]["phase"] not in ENDED:
            occupants[node] = (*occupants.get(node, ()), _owner(pod))
    return occupants


def _owner(pod: Mapping[str, Any]) -> str:
    return str((pod["metadata"].get("labels") or {}).get(GANG_LABEL, OTHERS))


def _seconds(written: str) -> float:
    return dt.datetime.fromisoformat(written).timestamp()
