"""What the API server itself makes of a resize: the pod with other amounts, or its sentence why not."""

import copy

from lockstep.api.quantities import base_units

ANOTHER_POD = "metadata.uid: Invalid value: field is immutable"
_COUNTED = ("cpu", "memory")


def resized(pod, patch):
    """The pod with ``patch`` merged into it, container by container; or the sentence of a refusal."""
    if patch["metadata"]["uid"] != pod["metadata"]["uid"]:
        return ANOTHER_POD
    if any("running" in one.get("state", {}) and "resources" not in one for one in _statuses(pod)):
        return "spec: Forbidden: Pod running on node without support for resize"
    changed = copy.deepcopy(pod)
    containers = {one["name"]: one for one in changed["spec"]["containers"]}
    for change in patch["spec"]["containers"]:
        container = containers.get(change["name"])
        if container is None:
            return f"spec.containers: Forbidden: {change['name']} may not be added by a resize"
        for kind, amounts in change["resources"].items():
            container.setdefault("resources", {}).setdefault(kind, {}).update(amounts)
        sentence = _invalid(container["resources"])
        if sentence:
            return sentence
    if qos_class(changed["spec"]) != qos_class(pod["spec"]):
        return "spec: Invalid value: Pod QOS Class may not change as a result of resizing"
    return changed


def qos_class(spec):
    """The quality of service that follows from the containers' requests and limits of CPU and memory."""
    of_all = [one.get("resources", {}) for one in (*spec["containers"], *spec.get("initContainers", ()))]
    if not any(amounts for one in of_all for amounts in one.values()):
        return "BestEffort"
    same = all(_amounts(one, "requests") == _amounts(one, "limits") != {} for one in of_all)
    return "Guaranteed" if same and all(len(one["limits"]) >= len(_COUNTED) for one in of_all) else "Burstable"


def _statuses(pod):
    return pod["status"].get("containerStatuses", ())


def _invalid(resources):
    limits, requests = _amounts(resources, "limits"), _amounts(resources, "requests")
    above = [name for name in requests if name in limits and requests[name] > limits[name]]
    return f"requests.{above[0]}: Invalid value: must be less than or equal to {above[0]} limit" if above else ""


def _amounts(resources, kind):
    amounts = resources.get(kind, resources.get("limits", {}))
    return {name: base_units(name, amounts[name]) for name in _COUNTED if name in amounts}
