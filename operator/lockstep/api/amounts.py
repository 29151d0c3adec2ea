"""Finds resource amounts in a pod template that can't be planned: negative, too large or invalid ones."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from lockstep.api.quantities import Quantity, exact_units
from lockstep.facts.pods.pod import LARGEST_AMOUNT


class _Amount(NamedTuple):
    field: str
    resource: str
    quantity: Quantity


def check_amounts(pod: Mapping[str, Any], path: str) -> None:
    """Raise ``ValueError`` for the first amount of a pod spec that can't be planned. ``path`` is the path of the spec.

    The error is a clause for the user of a gang with such members. In other pods, an amount beyond a bound counts as
    this bound (``quantities.py``).
    """
    for field, resource, quantity in _amounts(pod):
        try:
            exact = exact_units(resource, quantity)
        except ValueError as error:
            raise ValueError(f"{path}.{field}: {error}") from error
        if exact < 0:
            raise ValueError(f"{path}.{field}: {quantity} is below 0")
        if exact > LARGEST_AMOUNT:
            unit = "thousandths of a core" if resource == "cpu" else "bytes or units"
            raise ValueError(f"{path}.{field}: {quantity} is more than {LARGEST_AMOUNT} {unit}")


def _amounts(pod: Mapping[str, Any]) -> Iterator[_Amount]:
    yield from _of_list("overhead", pod.get("overhead"))
    yield from _of_holder("resources", pod)
    for kind in ("initContainers", "containers"):
        for number, container in enumerate(pod.get(kind) or ()):
            yield from _of_holder(f"{kind}[{number}].resources", container)


def _of_holder(field: str, holder: Mapping[str, Any]) -> Iterator[_Amount]:
    wanted = holder.get("resources") or {}
    for part in ("requests", "limits"):
        yield from _of_list(f"{field}.{part}", wanted.get(part))


def _of_list(field: str, amounts: Mapping[str, Any] | None) -> Iterator[_Amount]:
    for resource, quantity in (amounts or {}).items():
        yield _Amount(f"{field}.{resource}", resource, quantity)
