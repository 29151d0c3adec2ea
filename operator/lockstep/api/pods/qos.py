"""The QoS class of a pod, by its containers."""

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import Quantity, base_units

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
    limits, requests = wanted.get("limits") or {}, wanted.get("requests") or {}
    return all(
        name in limits and _are_equal(name, requests.get(name, limits[name]), limits[name]) for name in _OF_CLASS
    )


def _are_equal(name: str, request: Quantity, limit: Quantity) -> bool:
    """Whether both are the same amount, and more than none."""
    return base_units(name, request) == base_units(name, limit) > 0
