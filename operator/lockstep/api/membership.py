"""Finds the gang of which a pod is a member, by the pod's name, owner and labels."""

from typing import Any

from coschedule import GangKey
from lockstep.api.manifest import Manifest
from lockstep.api.names import API_VERSION, ATTEMPT_LABEL, GANG_KIND, GANG_LABEL, POD_GANG_KIND, RANK_LABEL, ROLE_LABEL
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.pods.pod import Membership

LARGEST_ATTEMPT = 99_999
"""The largest number of an attempt. A member's name has at most 63 characters, and a gang's name up to 52 of them."""


def membership(metadata: Manifest) -> Membership | None:
    """The membership of a pod in a GangJob; None if it is no member.

    Its controlling owner decides, since any user may write labels. The name must match, too: a user who may create pods
    may name any owner, but no two pods can be the same member.
    """
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller") and owner["kind"] == GANG_KIND and owner["apiVersion"] == API_VERSION:
            labels = metadata.get("labels") or {}
            attempt, rank = labels.get(ATTEMPT_LABEL, ""), labels.get(RANK_LABEL, "")
            if attempt.isdecimal() and rank.isdecimal():
                gang = GangKey(metadata["namespace"], owner["name"])
                member = Membership(gang, owner["uid"], int(attempt), int(rank))
                return member if metadata["name"] == pod_name(gang.name, member.attempt, member.rank) else None
    return None


def owner_reference(gang: GangFact) -> dict[str, Any]:
    """The owner reference by which an object is deleted together with its gang."""
    return {
        "apiVersion": API_VERSION,
        "kind": POD_GANG_KIND if is_pod_gang(gang.key) else GANG_KIND,
        "name": object_name(gang.key),
        "uid": gang.uid,
        "controller": True,
        # True would require a right to the gang's finalizers, and would only delay a foreground deletion of the gang.
        "blockOwnerDeletion": False,
    }


def pod_name(gang: str, attempt: int, rank: int) -> str:
    """The name of a member pod."""
    return f"{gang}-{attempt}-{rank}"


def member_labels(gang: GangKey, role: RoleSpec, attempt: int) -> dict[str, str]:
    """The labels that all members of a role have in an attempt. The label with the rank is not among them."""
    named = {ROLE_LABEL: role.name} if role.name else {}
    return {**dict(role.template.labels), GANG_LABEL: gang.name, ATTEMPT_LABEL: str(attempt), **named}
