"""Preferences in a pod's spec. Lockstep accepts and ignores them."""

from collections.abc import Iterator

from lockstep.api.manifest import Manifest

_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def preferred(pod: Manifest) -> Iterator[str]:
    """The paths of fields with preferences, which a scheduler may ignore."""
    affinity = pod.get("affinity") or {}
    for kind in ("nodeAffinity", "podAffinity", "podAntiAffinity"):
        if (affinity.get(kind) or {}).get(_PREFERRED):
            yield f"affinity.{kind}.{_PREFERRED}"
    for number, spread in enumerate(pod.get("topologySpreadConstraints") or ()):
        if spread.get("whenUnsatisfiable") == "ScheduleAnyway":
            yield f"topologySpreadConstraints[{number}]"
