"""``status.plan``: the start estimate of a waiting gang."""

import math
from collections.abc import Mapping
from typing import Any

from lockstep.api.quantities import epoch_seconds, rfc3339
from lockstep.facts.gang.start_estimate import NodeKind, StartEstimate


def parse_start_estimate(plan: Mapping[str, Any]) -> StartEstimate:
    """Parse ``status.plan``."""
    return StartEstimate(
        likely_start=epoch_seconds(plan["likelyStart"]) or 0.0,
        late_start=epoch_seconds(plan.get("lateStart")),
        promised_start=epoch_seconds(plan.get("promisedStart")),
        expected_finish=epoch_seconds(plan.get("expectedFinish")),
        size=int(plan["size"]),
        kinds=tuple(NodeKind(one["speed"], int(one["members"])) for one in plan.get("kinds") or ()),
        position=int(plan["position"]),
        waits_for=plan.get("waitsFor") or "",
        changed_at=epoch_seconds(plan["changedAt"]) or 0.0,
        changed_because=plan["changedBecause"],
    )


def start_estimate_manifest(plan: StartEstimate) -> dict[str, Any]:
    """Format ``status.plan``.

    Late and promised starts are rounded up to whole seconds, so they are never written too early.
    """
    return {
        "likelyStart": rfc3339(plan.likely_start),
        "lateStart": None if plan.late_start is None else rfc3339(math.ceil(plan.late_start)),
        "promisedStart": None if plan.promised_start is None else rfc3339(math.ceil(plan.promised_start)),
        "expectedFinish": None if plan.expected_finish is None else rfc3339(plan.expected_finish),
        "size": plan.size,
        "kinds": [{"speed": kind.speed, "members": kind.members} for kind in plan.kinds] or None,
        "position": plan.position,
        "waitsFor": plan.waits_for or None,
        "changedAt": rfc3339(plan.changed_at),
        "changedBecause": plan.changed_because,
    }
