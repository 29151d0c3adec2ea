"""The dealer, a sidecar of rank 0 that deals pieces to all members, and the parts of the pod's status about the dealer.

The dealer is part of the role's template, so plans count its resources. The pods of other ranks are made without it. If
the size of the gang may change, these pods keep the room of a dealer: plans count the dealer's resources for them, too.
So all members have equal requests. The gang's ConfigMap has the key of the dealer, and the states of pieces that an
earlier dealer left. Members and the dealer get the key in a variable.
"""

import ipaddress
from typing import Any

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.members.own_container import own_container
from lockstep.api.names import ROOM_ANNOTATION
from lockstep.facts.piece_states import PieceCounts, parse_counts
from lockstep.facts.pods.dealer import DealerFact

DEALER = "lockstep-dealer"
PORT = 7711
FIRST_RANK = 0
STATES_KEY = "states"
NO_DEALER_IMAGE = (
    "dealing: the operator's administrator has to set --gate-image. The operator runs without a gate image, so nothing "
    "can deal pieces."
)
_KEPT = "/etc/lockstep-dealer"
_OWN = "/var/lib/lockstep-dealer"
_LAST_WORDS = "/dev/termination-log"
_WITH_BRACKETS = 6
# A line of the journal has at most 9 bytes. Each piece has at most two lines, since it may fail and then be done.
_JOURNAL_SIZE = "4Mi"


def pieces_name(gang: str) -> str:
    """The name of the ConfigMap with the states of the gang's pieces and the key of its attempt."""
    return f"{gang}-pieces"


def key_name(attempt: int) -> str:
    """The name of the entry with the key of an attempt. So a pod of another attempt does not find the key."""
    return f"key-{attempt}"


def with_dealer(template: Manifest, image: str) -> Manifest:
    """A template with the dealer as the last init container: it starts after the other init containers have ended."""
    spec = template["spec"]
    return {**template, "spec": {**spec, "initContainers": [*(spec.get("initContainers") or ()), _container(image)]}}


def of_rank(spec: NewManifest, rank: int, gang: str, pieces: int) -> NewManifest:
    """The spec of the member with that rank. Rank 0 has the dealer, for ``pieces`` pieces; other ranks have none."""
    containers = spec["initContainers"]
    others = [one for one in containers if one["name"] != DEALER]
    if rank != FIRST_RANK:
        return {**spec, "initContainers": others}
    [dealer] = [one for one in containers if one["name"] == DEALER]
    complete = {**dealer, "command": [*dealer["command"], "--pieces", str(pieces)]}
    return {**spec, "initContainers": [*others, complete], "volumes": [*(spec.get("volumes") or ()), *_volumes(gang)]}


def room_annotations(*, is_elastic: bool) -> dict[str, str]:
    """The annotations for members of a gang with a dealer. If the gang is elastic, they keep the dealer's room."""
    return {ROOM_ANNOTATION: DEALER} if is_elastic else {}


def with_kept_room(metadata: Manifest, spec: Manifest) -> Manifest:
    """The spec of a pod for counting its requests. If the pod keeps the room of a dealer, the spec has a dealer."""
    if (metadata.get("annotations") or {}).get(ROOM_ANNOTATION) != DEALER or _has_dealer(spec):
        return spec
    complete: Manifest = with_dealer({"spec": spec}, "")["spec"]
    return complete


def key_variable(gang: str, attempt: int) -> NewManifest:
    """The environment variable with the key of the attempt."""
    source = {"name": pieces_name(gang), "key": key_name(attempt)}
    return {"name": "LOCKSTEP_DEALER_KEY", "valueFrom": {"configMapKeyRef": source}}


def dealer_of(spec: Manifest, status: Manifest) -> DealerFact | None:
    """The dealer in a pod; None if it has none."""
    if not _has_dealer(spec):
        return None
    statuses = status.get("initContainerStatuses") or ()
    left = (_last_counts(one) for one in statuses if one.get("name") == DEALER)
    return DealerFact(_states_url(status), next(left, None))


def _has_dealer(spec: Manifest) -> bool:
    return any(one["name"] == DEALER for one in spec.get("initContainers") or ())


def _states_url(status: Manifest) -> str:
    """The URL of the states of pieces; '' until the dealer's pod has an address."""
    text = status.get("podIP") or ""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return ""
    host = f"[{address}]" if address.version == _WITH_BRACKETS else str(address)
    return f"http://{host}:{PORT}/states"


def _last_counts(status: Manifest) -> PieceCounts | None:
    return parse_counts(((status.get("state") or {}).get("terminated") or {}).get("message") or "")


def _container(image: str) -> Manifest:
    files = {"kept": f"{_KEPT}/{STATES_KEY}", "journal": f"{_OWN}/journal", "last-words": _LAST_WORDS}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    return {
        **own_container(DEALER, image, ["lockstep", "dealer", "--port", str(PORT), *options]),
        "restartPolicy": "Always",
        "volumeMounts": [
            {"name": f"{DEALER}-kept", "mountPath": _KEPT, "readOnly": True},
            {"name": f"{DEALER}-own", "mountPath": _OWN},
        ],
    }


def _volumes(gang: str) -> list[dict[str, Any]]:
    items = [{"key": STATES_KEY, "path": STATES_KEY}]
    kept = {"name": pieces_name(gang), "items": items, "optional": True}
    return [
        {"name": f"{DEALER}-kept", "configMap": kept},
        {"name": f"{DEALER}-own", "emptyDir": {"sizeLimit": _JOURNAL_SIZE}},
    ]
