"""The fields of a pod's spec that a placement would have to obey and can't yet."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

Manifest = Mapping[str, Any]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_NOT_YET = "Lockstep does not support it yet, so no member could be placed as it asks"


def unsupported(pod: Manifest) -> Iterator[str]:
    """The fields of that kind that a pod's spec has, each with the reason.

    What a scheduler only prefers is no obstacle: preferred pod affinity, and a spread that it may ignore.
    """
    for paths_of in UNSUPPORTED.values():
        for path in paths_of(pod):
            yield f"{path}: {_NOT_YET}"


def _required_affinity(kind: str, pod: Manifest) -> Iterator[str]:
    affinity = pod.get("affinity") or {}
    if (affinity.get(kind) or {}).get(_REQUIRED):
        yield f"affinity.{kind}.{_REQUIRED}"


def _required_spreads(pod: Manifest) -> Iterator[str]:
    for number, spread in enumerate(pod.get("topologySpreadConstraints") or ()):
        if spread.get("whenUnsatisfiable") != "ScheduleAnyway":
            yield f"topologySpreadConstraints[{number}].whenUnsatisfiable"


def _field(name: str, pod: Manifest) -> Iterator[str]:
    if pod.get(name):
        yield name


UNSUPPORTED: Mapping[str, Callable[[Manifest], Iterator[str]]] = {
    "affinity.podAffinity": partial(_required_affinity, "podAffinity"),
    "affinity.podAntiAffinity": partial(_required_affinity, "podAntiAffinity"),
    "topologySpreadConstraints.whenUnsatisfiable": _required_spreads,
    **{name: partial(_field, name) for name in ("resourceClaims", "nodeName", "schedulingGates", "schedulingGroup")},
}
"""By field, the paths at which a pod's spec has it."""
