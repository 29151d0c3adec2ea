"""What one pod takes from its node, as kube-scheduler and the kubelet count it."""

from collections.abc import Iterable, Mapping
from typing import Any

from lockstep.facts import Request
from lockstep.names import HOST_PORT_PREFIX, SLOTS
from lockstep.watch.quantities import as_request, resources

Amounts = dict[str, int]


def pod_request(spec: Mapping[str, Any], status: Mapping[str, Any], *, is_member: bool) -> Request:
    """The resources, the place among the node's pods, the host ports, and for a member the slot of its node's bid.

    Resources: the larger of what runs together (containers and sidecars) and each init container beside the sidecars
    started before it; what the pod as a whole asks for takes precedence; the overhead is added. For a pod that was
    resized in place, what is allocated to a container counts if it is more.
    """
    amounts = _of_containers(spec, _allocated_by_container(status))
    amounts.update(resources(_requests(spec)))
    _add(amounts, resources(spec.get("overhead")))
    amounts["pods"] = 1
    for port in _host_ports(spec):
        amounts[port] = 1
    if is_member:
        amounts[SLOTS] = 1
    return as_request(amounts)


def _of_containers(spec: Mapping[str, Any], allocated: Mapping[str, Amounts]) -> Amounts:
    together: Amounts = {}
    for container in spec.get("containers") or ():
        _add(together, _of_container(container, allocated))
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _of_container(container, allocated)
        if container.get("restartPolicy") == "Always":
            _add(sidecars, own)
            own = {}
        _raise_to(peak, _sum(sidecars, own))
    _add(together, sidecars)
    _raise_to(together, peak)
    return together


def _of_container(container: Mapping[str, Any], allocated: Mapping[str, Amounts]) -> Amounts:
    amounts = resources(_requests(container))
    _raise_to(amounts, allocated.get(container.get("name", ""), {}))
    return amounts


def _requests(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """Requests; a limit without a request counts as one, as the API server's defaults make it."""
    wanted = holder.get("resources") or {}
    return {**(wanted.get("limits") or {}), **(wanted.get("requests") or {})}


def _allocated_by_container(status: Mapping[str, Any]) -> dict[str, Amounts]:
    allocated: dict[str, Amounts] = {}
    for kind in ("containerStatuses", "initContainerStatuses"):
        for one in status.get(kind) or ():
            amounts = allocated.setdefault(one["name"], resources(one.get("allocatedResources")))
            _raise_to(amounts, resources((one.get("resources") or {}).get("requests")))
    return allocated


def _host_ports(spec: Mapping[str, Any]) -> Iterable[str]:
    """One column a protocol and port.

    Two pods that bind one port on different addresses count as a clash: safe, and rare.
    """
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for port in (port for container in containers for port in container.get("ports") or ()):
        number = port.get("hostPort") or (port.get("containerPort") if spec.get("hostNetwork") else None)
        if number:
            yield f"{HOST_PORT_PREFIX}{port.get('protocol', 'TCP')}-{number}".lower()


def _sum(one: Amounts, other: Amounts) -> Amounts:
    total = dict(one)
    _add(total, other)
    return total


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _raise_to(floor: Amounts, other: Mapping[str, int]) -> None:
    for name, amount in other.items():
        floor[name] = max(floor.get(name, 0), amount)
