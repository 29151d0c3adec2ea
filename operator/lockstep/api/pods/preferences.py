"""What a pod's spec only prefers. Lockstep accepts it, and does not weigh it."""

from collections.abc import Iterator, Mapping
from typing import Any

Manifest = Mapping[str, Any]

_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def preferred(pod: Manifest) -> Iterator[str]:
    """The paths of what a scheduler may weigh, and does not have to obey."""
    affinity = pod.get("affinity") or {}
    for kind in ("nodeAffinity", "podAffinity", "podAntiAffinity"):
        if (affinity.get(kind) or {}).get(_PREFERRED):
            yield f"affinity.{kind}.{_PREFERRED}"
    for number, spread in enumerate(pod.get("topologySpreadConstraints") or ()):
        if spread.get("whenUnsatisfiable") == "ScheduleAnyway":
            yield f"topologySpreadConstraints[{number}]"
