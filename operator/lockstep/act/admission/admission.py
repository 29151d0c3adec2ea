"""What admission made of the members of one role of an attempt, beside what was planned."""

from collections.abc import Mapping
from typing import Any

from lockstep.api.gangjob.role import parse_needs
from lockstep.api.members.claims import without_kept_claims
from lockstep.api.membership import membership
from lockstep.api.names import GANG_LABEL
from lockstep.belief.gangs.needs import as_compared, combined, is_within
from lockstep.facts.cluster.volume import Sharing
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.reasons import Reason

Manifest = Mapping[str, Any]

# All that needs are made of. Volumes are looked at apart: each pod's token has a volume with a name of its own.
_OF_POD = (
    "affinity",
    "hostNetwork",
    "nodeName",
    "nodeSelector",
    "overhead",
    "resourceClaims",
    "resources",
    "schedulerName",
    "schedulingGates",
    "schedulingGroup",
    "tolerations",
    "topologySpreadConstraints",
)
_OF_CONTAINER = ("ports", "resources", "restartPolicy")


class Admission:
    """Sees the pods of one role as the API server answers them. Members that look alike are understood once."""

    def __init__(self, role: RoleSpec) -> None:
        self._planned = role.needs
        self._path = role.path
        self._is_known = role.written is not None
        self._alike: tuple[Any, ...] | None = None
        self._seen: Needs | Refusal | None = None

    @property
    def seen(self) -> Needs | Refusal | None:
        """What all members that were seen need together."""
        return self._seen

    def see(self, pod: Manifest) -> None:
        """Look at the spec of one member's pod."""
        alike = _looks(without_kept_claims(pod, self._planned.claims))
        if alike == self._alike or isinstance(self._seen, Refusal):
            return
        self._alike = alike
        needs = admitted_needs(self._planned, pod, self._path)
        if isinstance(needs, Needs) and self._seen is not None:
            needs = combined(self._seen, needs)
        self._seen = needs

    def verdict(self) -> Needs | Refusal | None:
        """With what the role has to be planned anew; None where its members are as planned.

        Where admission makes members differ, a plan is for the largest of all that were seen, and members that ask for
        less are then no surprise any more.
        """
        if self._seen is None or self._seen == self._planned or isinstance(self._seen, Refusal):
            return self._seen if isinstance(self._seen, Refusal) else None
        if not self._is_known:
            return self._seen
        return None if is_within(self._seen, self._planned) else combined(self._planned, self._seen)


def admitted_needs(planned: Needs, pod: Manifest, path: str) -> Needs | Refusal:
    """What a pod of that spec asks of its node, or why admission has made it one that can't be placed."""
    needs = parse_needs(without_kept_claims(pod, planned.claims), path)
    if isinstance(needs, Refusal):
        return Refusal(needs.reason, f"With what admission adds to the members: {needs.message}")
    kept = tuple(use for use in planned.claims if use.sharing is Sharing.KEPT)
    return as_compared(planned, needs._replace(claims=(*needs.claims, *kept)))


def estranged(sent: Manifest, made: Manifest) -> Refusal | None:
    """Why nobody could tell that a pod is the member as which it was sent, from the metadata of both, if so.

    Such a pod is never bound: no watch would show it as bound, and nobody would find it to take it back.
    """
    is_known = (sent["name"], membership(sent)) == (made["name"], membership(made)) and (made.get("labels") or {}).get(
        GANG_LABEL
    ) == sent["labels"][GANG_LABEL]
    if is_known:
        return None
    message = (
        "Admission changes the name, the owner or a label lockstep.dev/… of the members, by which Lockstep knows them."
    )
    return Refusal(Reason.TEMPLATE_REFUSED, message)


def _looks(pod: Manifest) -> tuple[Any, ...]:
    containers = [*(pod.get("initContainers") or ()), *(pod.get("containers") or ())]
    return (
        [pod.get(field) for field in _OF_POD],
        [[container.get(field) for field in _OF_CONTAINER] for container in containers],
        [volume for volume in pod.get("volumes") or () if "projected" not in volume],
    )
