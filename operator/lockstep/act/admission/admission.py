"""How admission has changed the members of one role of an attempt, compared with the plan."""

from typing import Any

from lockstep.api.gangjob.role import parse_needs
from lockstep.api.manifest import Manifest
from lockstep.api.members.claims import without_kept_claims
from lockstep.api.membership import membership
from lockstep.api.names import GANG_LABEL
from lockstep.belief.gangs.needs import as_compared, combined, is_within
from lockstep.facts.cluster.volume import Sharing
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.reasons import Reason

# The fields of a pod's spec from which its needs follow. Volumes are compared separately, because the volume of a pod's
# token has its own name.
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
    """Reads the pods of one role as the API server returns them. Members with equal specs are parsed only once."""

    def __init__(self, role: RoleSpec) -> None:
        self._planned = role.needs
        self._path = role.path
        self._is_known = role.written is not None
        self._alike: tuple[Any, ...] | None = None
        self._observed: Needs | Refusal | None = None

    @property
    def observed(self) -> Needs | Refusal | None:
        """The common needs of all members that were read; a refusal if one can't be placed, None if none was read."""
        return self._observed

    def observe(self, pod: Manifest) -> None:
        """Read the spec of one member's pod."""
        alike = _compared_parts(without_kept_claims(pod, self._planned.claims))
        if alike == self._alike or isinstance(self._observed, Refusal):
            return
        self._alike = alike
        needs = admitted_needs(self._planned, pod, self._path)
        if isinstance(needs, Needs) and self._observed is not None:
            needs = combined(self._observed, needs)
        self._observed = needs

    def verdict(self) -> Needs | Refusal | None:
        """The needs with which the role must be planned; None if the members are as planned.

        If admission makes members differ, the plan is for the largest of them. Members that ask for less are accepted
        from then on.
        """
        if self._observed is None or self._observed == self._planned or isinstance(self._observed, Refusal):
            return self._observed if isinstance(self._observed, Refusal) else None
        if not self._is_known:
            return self._observed
        return None if is_within(self._observed, self._planned) else combined(self._planned, self._observed)


def admitted_needs(planned: Needs, pod: Manifest, path: str) -> Needs | Refusal:
    """The needs of a pod with that spec; a refusal if admission made it a pod that Lockstep can't place."""
    needs = parse_needs(without_kept_claims(pod, planned.claims), path)
    if isinstance(needs, Refusal):
        return Refusal(needs.reason, f"Admission makes the members invalid: {needs.message}")
    kept = tuple(use for use in planned.claims if use.sharing is Sharing.KEPT)
    return as_compared(planned, needs._replace(claims=(*needs.claims, *kept)))


def unrecognized(sent: Manifest, made: Manifest) -> Refusal | None:
    """Why the created pod can't be recognized as the member that was sent; None if it can.

    ``sent`` and ``made`` are the metadata of both. An unrecognized pod is never bound, because no list of the attempt's
    pods has it.
    """
    is_known = (sent["name"], membership(sent)) == (made["name"], membership(made)) and (made.get("labels") or {}).get(
        GANG_LABEL
    ) == sent["labels"][GANG_LABEL]
    if is_known:
        return None
    message = (
        "An admission webhook or policy changes the name, the owner or a label lockstep.dev/… of the members. Without "
        "these, Lockstep does not recognize its members."
    )
    return Refusal(Reason.TEMPLATE_REFUSED, message)


def _compared_parts(pod: Manifest) -> tuple[Any, ...]:
    containers = [*(pod.get("initContainers") or ()), *(pod.get("containers") or ())]
    return (
        [pod.get(field) for field in _OF_POD],
        [[container.get(field) for field in _OF_CONTAINER] for container in containers],
        [volume for volume in pod.get("volumes") or () if "projected" not in volume],
    )
