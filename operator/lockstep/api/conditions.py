"""Conditions, the same for all kinds."""

from lockstep.api.manifest import Manifest


def condition_of(status: Manifest, kind: str) -> Manifest | None:
    """The condition of that type; None where there is none."""
    return next((one for one in status.get("conditions") or () if one["type"] == kind), None)


def has_condition(status: Manifest, kind: str) -> bool:
    """Whether the condition of that type is True."""
    condition = condition_of(status, kind)
    return condition is not None and condition["status"] == "True"
