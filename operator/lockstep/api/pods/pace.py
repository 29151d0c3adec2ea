"""The CPU of members: parsed from their pods, changed by resizes, and recorded in their gang's status."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.pods.pod_request import cpu_beside_containers
from lockstep.api.quantities import CPU, Quantity, base_units
from lockstep.facts.pods.pace import ContainerCpu, Cpu, MemberCpu, PaceStatus, PendingResize, Unpaced

_PENDING = "PodResizePending"
_PENDING_REASONS = frozenset(PendingResize)
_RESTARTS = "RestartContainer"


def member_cpu(spec: Manifest, status: Manifest) -> MemberCpu:
    """Parse the CPU of a member from its pod."""
    pending = _pending(status)
    in_force = _in_force(status) if pending else {}
    beside, least = cpu_beside_containers(spec)
    return MemberCpu(
        containers=tuple([_container(one, in_force) for one in spec.get("containers") or ()]),
        is_guaranteed=status.get("qosClass") == "Guaranteed",
        is_of_whole=any(CPU in (amounts or {}) for amounts in (spec.get("resources") or {}).values()),
        pending=pending,
        beside=beside,
        least=least,
    )


def resize_patch(uid: str, amounts: Mapping[str, Cpu]) -> dict[str, Any]:
    """A patch that sets the CPU of these containers in the pod with that UID.

    A limit can be changed, but not removed.
    """
    containers = [{"name": name, "resources": _resources(cpu)} for name, cpu in amounts.items()]
    return {"metadata": {"uid": uid}, "spec": {"containers": containers}}


def parse_pace(manifest: Manifest) -> PaceStatus:
    """Parse the pace of a gang from its status."""
    return PaceStatus(
        members=manifest["members"],
        paced=manifest["paced"],
        given_back=int(manifest["givenBack"].removesuffix("m")),
        message=manifest["message"],
        unpaced=tuple(_unpaced(one) for one in manifest.get("unpaced") or ()),
    )


def pace_manifest(pace: PaceStatus) -> dict[str, Any]:
    """Format the pace of a gang for its status."""
    return {
        "members": pace.members,
        "paced": pace.paced,
        "givenBack": _formatted(pace.given_back),
        "message": pace.message,
        "unpaced": [_unpaced_manifest(one) for one in pace.unpaced] or None,
    }


def _pending(status: Manifest) -> PendingResize | None:
    conditions = status.get("conditions") or ()
    reason = next((one.get("reason") for one in conditions if one["type"] == _PENDING), None)
    return PendingResize(reason) if reason in _PENDING_REASONS else None


def _in_force(status: Manifest) -> Mapping[str, Cpu]:
    return {
        one["name"]: _cpu(one["resources"]) for one in status.get("containerStatuses") or () if one.get("resources")
    }


def _container(container: Manifest, in_force: Mapping[str, Cpu]) -> ContainerCpu:
    policies = container.get("resizePolicy") or ()
    restarts = any(one["resourceName"] == CPU and one["restartPolicy"] == _RESTARTS for one in policies)
    name = container["name"]
    return ContainerCpu(name, _cpu(container.get("resources") or {}), restarts, in_force.get(name))


def _cpu(resources: Manifest) -> Cpu:
    """The request and the limit. A limit without a request counts as the request, as in the API server's defaults."""
    limit = (resources.get("limits") or {}).get(CPU)
    return _shared((resources.get("requests") or {}).get(CPU, limit), limit)


@lru_cache(maxsize=10_000)
def _shared(request: Quantity | None, limit: Quantity | None) -> Cpu:
    """The CPU of a container. It is cached, since most members request the same amounts."""
    return Cpu(0 if request is None else base_units(CPU, request), None if limit is None else base_units(CPU, limit))


def _resources(cpu: Cpu) -> Manifest:
    limits = {} if cpu.limit is None else {"limits": {CPU: _formatted(cpu.limit)}}
    return {"requests": {CPU: _formatted(cpu.request)}, **limits}


def _unpaced(one: Manifest) -> Unpaced:
    limit = one.get("limit")
    cpu = Cpu(base_units(CPU, one["request"]), None if limit is None else base_units(CPU, limit))
    return Unpaced(one.get("role") or "", one["container"], cpu)


def _unpaced_manifest(one: Unpaced) -> dict[str, Any]:
    role = {"role": one.role} if one.role else {}
    limit = {} if one.cpu.limit is None else {"limit": _formatted(one.cpu.limit)}
    return {**role, "container": one.container, "request": _formatted(one.cpu.request), **limit}


def _formatted(thousandths: int) -> str:
    return f"{thousandths}m"
