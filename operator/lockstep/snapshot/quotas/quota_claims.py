"""The amounts that a ResourceQuota counts for claims of members, by the rules of the API server's admission.

Claims that all members share are left out, since they are not created with members.
"""

from collections import Counter
from collections.abc import Mapping

from lockstep.belief.volumes.claims import Claims
from lockstep.belief.volumes.kept_volumes import has_kept_claims
from lockstep.facts.cluster.volume import Sharing, VolumeRequest
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.role import RoleSpec

_CLAIMS = ("persistentvolumeclaims", "count/persistentvolumeclaims")
_STORAGE = "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"


def taken_by_claims(gang: GangFact, role: RoleSpec, claims: Claims) -> Mapping[str, int]:
    """The amounts that quotas count for the claims created with one member, by the quotas' names of resources.

    Claims of ranks outlast attempts. Once a gang has some, it has one for each rank, and gets no more. Then the quotas
    count them as used, and they are left out here.
    """
    counts: Counter[str] = Counter()
    if not any(use.request for use in role.claims):
        return counts
    kept = has_kept_claims(claims, gang)
    for use in role.claims:
        if use.request is not None and not (kept and use.sharing is Sharing.KEPT):
            of_class = f"{_class_of(use.request, claims)}{_OF_CLASS}"
            for prefix in ("", of_class):
                counts.update({f"{prefix}{name}": 1 for name in _CLAIMS})
                counts[f"{prefix}{_STORAGE}"] += use.request.size
    return +counts


def _class_of(request: VolumeRequest, claims: Claims) -> str:
    """The name of the claim's storage class, or of the default class that admission sets; '' if there is none."""
    if request.storage_class is not None:
        return request.storage_class
    default = claims.storage.class_of(None)
    return "" if default is None else default.name
