"""The QoS class of a pod, by its containers."""

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import resources

_OF_CLASS = ("cpu", "memory")


def is_guaranteed(spec: Manifest) -> bool:
    """Whether a pod of that spec is of the class Guaranteed: each container requests its limits of CPU and memory.

    A pod that requests amounts as a whole is left out. Raises ``ValueError`` or ``ArithmeticError`` for amounts that
    are none.
    """
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    return not spec.get("resources") and all(map(_requests_its_limits, containers))


def _requests_its_limits(container: Manifest) -> bool:
    wanted = container.get("resources") or {}
    limits = resources(wanted.get("limits"))
    requests = {**limits, **resources(wanted.get("requests"))}
    return all(limits.get(name) and requests[name] == limits[name] for name in _OF_CLASS)
