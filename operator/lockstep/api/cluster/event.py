"""Events as the API server expects them."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lockstep.api.names import API_VERSION, GANG_KIND, PODS_GANG_KIND, REPORTING_CONTROLLER
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.reasons import EventReason

NOTE_LIMIT = 1024


_NAME_LIMIT = 253


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened to a gang. ``action`` is what the operator was doing."""

    kind: str
    reason: EventReason
    action: str
    note: str


def event_manifest(gang: GangFact, event: Event, *, instance: str, now: float) -> dict[str, Any]:
    """The manifest of the event."""
    when = datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    name = object_name(gang.key)
    digest = hashlib.sha256(f"{gang.uid} {event.reason} {event.note} {when}".encode()).hexdigest()[:16]
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{name[: _NAME_LIMIT - 17]}.{digest}", "namespace": gang.key.namespace},
        "eventTime": when,
        "type": event.kind,
        "reason": event.reason,
        "action": event.action,
        "note": event.note.encode()[:NOTE_LIMIT].decode(errors="ignore"),
        "reportingController": REPORTING_CONTROLLER,
        "reportingInstance": instance,
        "regarding": {
            "apiVersion": API_VERSION,
            "kind": PODS_GANG_KIND if is_pod_gang(gang.key) else GANG_KIND,
            "namespace": gang.key.namespace,
            "name": name,
            "uid": gang.uid,
            "resourceVersion": gang.resource_version,
        },
    }
