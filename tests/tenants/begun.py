"""Gangs whose first pods run, with the largest of what a spec says of pods that come later: room is kept for these."""

from collections.abc import Iterator, Mapping
from typing import Any

from builders.served import metadata, pod
from lockstep.api.names import API_VERSION, MEMBER_OF_LABEL, POD_GANG_KIND, SCHEDULER_NAME, SEAT_ANNOTATION
from tenants.schema import Field, fields, spec_of
from tenants.shapes import NAMESPACE, Shape, shapes_of

Manifest = Mapping[str, Any]

BEGUN = "begun"
"""How the names of such Gangs begin, and those of their fields."""
SINCE = "2027-01-15T08:00:00Z"
"""When their pods began to run, which is when a plan of the priced cluster is made."""


def shapes_of_begun_gangs() -> Iterator[Shape]:
    """Gangs that have begun, each with one field of later pods at its largest."""
    for field in fields(spec_of("gangs")):
        if field.path.startswith("spec.later"):
            for shape in shapes_of("gangs", field, _begun):
                yield shape._replace(field=f"{BEGUN}.{shape.field}")


def running_pod(number: int) -> Manifest:
    """The pod of such a Gang that runs."""
    name = f"{BEGUN}{number}"
    seat = {SEAT_ANNOTATION: f"{_uid(name)}/1/0"}
    spec = {"schedulerName": SCHEDULER_NAME, "nodeName": f"n{number:03}"}
    made = pod(f"{name}-a", phase="Running", labels={MEMBER_OF_LABEL: name}, spec=spec, annotations=seat)
    return {**made, "metadata": {**made["metadata"], "namespace": NAMESPACE, "uid": f"{_uid(name)}-a"}}


def _begun(_: Field, spec: Manifest, count: int) -> list[Manifest]:
    placed = {"type": "Placed", "status": "True", "reason": "Bound", "message": "", "lastTransitionTime": SINCE}
    status = {"attempt": 1, "activeSince": SINCE, "start": SINCE, "conditions": [placed]}
    return [
        {
            "apiVersion": API_VERSION,
            "kind": POD_GANG_KIND,
            "metadata": metadata(name, namespace=NAMESPACE, generation=1, uid=_uid(name)),
            "spec": spec,
            "status": status,
        }
        for name in (f"{BEGUN}{number}" for number in range(count))
    ]


def _uid(name: str) -> str:
    return f"uid-of-{NAMESPACE}-{name}"
