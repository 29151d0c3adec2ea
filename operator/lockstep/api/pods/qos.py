"""The QoS class of a pod, from its containers."""

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import Quantity, base_units

_OF_CLASS = ("cpu", "memory")


def is_guaranteed(spec: Manifest) -> bool:
    """Whether a pod with that spec is of the class Guaranteed: all requests of CPU and memory equal their limits.

    It is False if the pod states resources as a whole. Raises ``ValueError`` or ``ArithmeticError`` for invalid
    amounts.
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
    """Whether both are the same amount above 0."""
    return base_units(name, request) == base_units(name, limit) > 0
