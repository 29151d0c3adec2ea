"""Formats events of the API group ``events.k8s.io``."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from lockstep.api.names import API_VERSION, GANG_KIND, POD_GANG_KIND, REPORTING_CONTROLLER
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.reasons import EventReason

# In bytes.
NOTE_LIMIT = 1024


_NAME_LIMIT = 253


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event without its subject. ``action`` is what the operator was doing.

    If an event is ``posted_once``, its name depends only on its subject, reason and note. So the API server accepts no
    second event with the same words about the same object, as long as it keeps the first.
    """

    kind: str
    reason: EventReason
    action: str
    note: str
    posted_once: bool = False


class EventSubject(NamedTuple):
    """The object that an event is about. An empty version means that it is unknown."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str
    resource_version: str = ""


def gang_subject(gang: GangFact) -> EventSubject:
    """A GangJob or a Gang, as the subject of an event."""
    kind = POD_GANG_KIND if is_pod_gang(gang.key) else GANG_KIND
    return EventSubject(API_VERSION, kind, gang.key.namespace, object_name(gang.key), gang.uid, gang.resource_version)


def pod_subject(pod: PodFact) -> EventSubject:
    """A pod, as the subject of an event."""
    return EventSubject("v1", "Pod", pod.key.namespace, pod.key.name, pod.uid)


def event_manifest(subject: EventSubject, event: Event, *, instance: str, now: float) -> dict[str, Any]:
    """The manifest of the event, which ``instance`` posts at the time ``now``. A long note is cut to ``NOTE_LIMIT``."""
    when = datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    # A part of a name must not end with a dot or a hyphen.
    named = subject.name[: _NAME_LIMIT - 17].rstrip("-.")
    identity = f"{subject.uid} {event.reason} {event.note}" + ("" if event.posted_once else f" {when}")
    digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
    return {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": f"{named}.{digest}", "namespace": subject.namespace},
        "eventTime": when,
        "type": event.kind,
        "reason": event.reason,
        "action": event.action,
        "note": event.note.encode()[:NOTE_LIMIT].decode(errors="ignore"),
        "reportingController": REPORTING_CONTROLLER,
        "reportingInstance": instance,
        "regarding": {
            "apiVersion": subject.api_version,
            "kind": subject.kind,
            "namespace": subject.namespace,
            "name": subject.name,
            "uid": subject.uid,
            **({"resourceVersion": subject.resource_version} if subject.resource_version else {}),
        },
    }
