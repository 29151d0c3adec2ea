"""Counts the resources that a pod takes from its node, as kube-scheduler and the kubelet do."""

from collections.abc import Callable, Iterable, Mapping

from lockstep.api.manifest import Manifest
from lockstep.api.pods.exclusive import exclusive_columns, is_sidecar
from lockstep.api.pods.pod_size import few_exclusive
from lockstep.api.quantities import CPU, as_request, resources
from lockstep.facts.columns import FEATURE_PREFIX, SLOTS
from lockstep.facts.pods.pod import Request

Amounts = dict[str, int]
_RESTARTS_ALL = f"{FEATURE_PREFIX}RestartAllContainersOnContainerExits"
_HUGE_PAGES = "hugepages-"


def pod_request(spec: Manifest, status: Manifest, *, is_member: bool) -> Request:
    """The resources, host ports and disks of a pod, and its place among the node's pods.

    A member also takes a slot of the bid. Resources are the larger of two amounts: containers and sidecars together, or
    an init container with the sidecars before it. Requests of the pod as a whole have priority, and the overhead is
    added. During a resize in place, the largest of the requested, actual and allocated amounts counts. If the node
    found the resize infeasible, the request does not count. Raises ``TooLongError`` for too many host ports and disks.
    """
    is_infeasible = _resize_is_infeasible(status)
    amounts = _of_containers(spec, _containers_in_force(status), is_infeasible=is_infeasible)
    whole = _of_the_whole(spec, amounts)
    resized = _effective(whole, status, is_infeasible=is_infeasible)
    amounts.update({name: resized.get(name, 0) for name in whole})
    _add(amounts, resources(spec.get("overhead")))
    amounts["pods"] = 1
    _raise_all_to(amounts, few_exclusive(exclusive_columns(spec)))
    if _restarts_all_containers(spec):
        amounts[_RESTARTS_ALL] = 1
    if is_member:
        amounts[SLOTS] = 1
    return as_request(amounts)


def pod_limits(spec: Manifest) -> Mapping[str, int]:
    """The limits of a pod as quotas count them.

    They are summed like requests. Overhead is added only to resources that have a limit.
    """
    amounts = _at_once(spec, of_one=_limits, of_init=_limits)
    amounts.update(_limits(spec))
    overhead = resources(spec.get("overhead"))
    return {name: amount + overhead.get(name, 0) for name, amount in amounts.items()}


def cpu_beside_containers(spec: Manifest) -> tuple[int, int]:
    """The CPU that sidecars and overhead add to the containers, and the least CPU of the pod; in thousandths of a core.

    A pod requests the larger of two amounts: the CPU of its containers plus the first number, or the second number.
    """
    sidecars, peak = _of_init_containers(spec, of_one=_requests, of_init=_requests)
    overhead = resources(spec.get("overhead")).get(CPU, 0)
    return sidecars.get(CPU, 0) + overhead, peak.get(CPU, 0) + overhead


def _of_containers(spec: Manifest, in_force: Mapping[str, Manifest], *, is_infeasible: bool) -> Amounts:
    def of_one(container: Manifest) -> Amounts:
        status = in_force.get(container.get("name", ""), {})
        return _effective(_requests(container), status, is_infeasible=is_infeasible)

    return _at_once(spec, of_one=of_one, of_init=_requests)


def _at_once(
    spec: Manifest, *, of_one: Callable[[Manifest], Amounts], of_init: Callable[[Manifest], Amounts]
) -> Amounts:
    """The most that containers take at a time: all containers and sidecars, or an init container with earlier sidecars.

    The larger of these two amounts counts, for each resource.
    """
    together: Amounts = {}
    for container in spec.get("containers") or ():
        _add(together, of_one(container))
    sidecars, peak = _of_init_containers(spec, of_one=of_one, of_init=of_init)
    _add(together, sidecars)
    _raise_to(together, peak)
    return together


def _of_init_containers(
    spec: Manifest, *, of_one: Callable[[Manifest], Amounts], of_init: Callable[[Manifest], Amounts]
) -> tuple[Amounts, Amounts]:
    """The amounts of all sidecars together, and the most that an init container takes with the sidecars before it."""
    sidecars: Amounts = {}
    peak: Amounts = {}
    for container in spec.get("initContainers") or ():
        own: Amounts = {}
        if is_sidecar(container):
            _add(sidecars, of_one(container))
        else:
            own = of_init(container)
        _raise_to(peak, _sum(sidecars, own))
    return sidecars, peak


def _requests(container: Manifest) -> Amounts:
    """The requests. A limit without a request counts as the request, as in the API server's defaults."""
    wanted = container.get("resources") or {}
    return resources({**(wanted.get("limits") or {}), **(wanted.get("requests") or {})})


def _limits(holder: Manifest) -> Amounts:
    return resources((holder.get("resources") or {}).get("limits"))


def _of_the_whole(spec: Manifest, of_containers: Amounts) -> Amounts:
    """The requests of the pod as a whole.

    If the pod states only a limit, this limit counts as the request in two cases: no container requests the resource,
    or the resource is huge pages. The API server's defaults do the same.
    """
    wanted = spec.get("resources") or {}
    amounts = resources(wanted.get("requests"))
    for name, limit in resources(wanted.get("limits")).items():
        if name not in of_containers or name.startswith(_HUGE_PAGES):
            amounts.setdefault(name, limit)
    return amounts


def _effective(asked: Amounts, status: Manifest, *, is_infeasible: bool) -> Amounts:
    """The amounts that count for a container or a pod: the largest of its requested, actual and allocated amounts.

    The requests do not count if their resize is infeasible.
    """
    in_force = status.get("resources")
    if in_force is None:
        return asked
    amounts = {} if is_infeasible else dict(asked)
    _raise_to(amounts, resources(in_force.get("requests")))
    _raise_to(amounts, resources(status.get("allocatedResources")))
    return amounts


def _containers_in_force(status: Manifest) -> dict[str, Manifest]:
    """The statuses of containers and init containers by name."""
    kinds = ("containerStatuses", "initContainerStatuses")
    return {one["name"]: one for kind in kinds for one in status.get(kind) or ()}


def _resize_is_infeasible(status: Manifest) -> bool:
    pending = next((one for one in status.get("conditions") or () if one["type"] == "PodResizePending"), None)
    return pending is not None and pending.get("reason") == "Infeasible"


def _restarts_all_containers(spec: Manifest) -> bool:
    """Whether the end of a container restarts all other containers, which not every kubelet supports."""
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    rules = (rule for container in containers for rule in container.get("restartPolicyRules") or ())
    return any(rule.get("action") == "RestartAllContainers" for rule in rules)


def _sum(one: Amounts, other: Amounts) -> Amounts:
    total = dict(one)
    _add(total, other)
    return total


def _add(total: Amounts, more: Mapping[str, int]) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0) + amount


def _raise_to(floor: Amounts, other: Mapping[str, int]) -> None:
    _raise_all_to(floor, other.items())


def _raise_all_to(floor: Amounts, others: Iterable[tuple[str, int]]) -> None:
    for name, amount in others:
        floor[name] = max(floor.get(name, 0), amount)
