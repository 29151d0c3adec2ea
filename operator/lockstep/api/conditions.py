"""Parses and formats conditions, which have the same fields in all kinds."""

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.quantities import epoch_seconds, rfc3339
from lockstep.facts.gang.status import ConditionFact


def parse_condition(one: Manifest) -> ConditionFact:
    """Parse a condition in the status of one of our kinds."""
    return ConditionFact(
        type=one["type"],
        status=one["status"],
        reason=one["reason"],
        message=one.get("message", ""),
        observed_generation=int(one.get("observedGeneration", 0)),
        last_transition=epoch_seconds(one["lastTransitionTime"]) or 0.0,
    )


def condition_manifest(one: ConditionFact) -> NewManifest:
    """Format a condition for a status."""
    return {
        "type": one.type,
        "status": one.status,
        "reason": one.reason,
        "message": one.message,
        "observedGeneration": one.observed_generation,
        "lastTransitionTime": rfc3339(one.last_transition),
    }


def condition_of(status: Manifest, kind: str) -> Manifest | None:
    """The condition of that type; None if the status has none."""
    return next((one for one in status.get("conditions") or () if one["type"] == kind), None)


def has_condition(status: Manifest, kind: str) -> bool:
    """Whether the condition of that type is True."""
    condition = condition_of(status, kind)
    return condition is not None and condition["status"] == "True"
