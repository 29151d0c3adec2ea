"""What a ResourceQuota counts of the claims that members own, as the API server's admission does.

Claims that all members share exist already, or are not made by the operator.
"""

from collections import Counter
from collections.abc import Mapping

from lockstep.belief.volumes.claims import Claims
from lockstep.belief.volumes.kept_volumes import has_kept_claims
from lockstep.facts.cluster.volume import Sharing, VolumeWish
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.role import RoleSpec

_CLAIMS = ("persistentvolumeclaims", "count/persistentvolumeclaims")
_STORAGE = "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"


def taken_by_claims(gang: GangFact, role: RoleSpec, claims: Claims) -> Mapping[str, int]:
    """What quotas count of the claims that are made with one member, by resource as they name it.

    Claims of ranks, which outlast attempts, are counted as used once there are any: a gang has one for each rank that
    it had, and gets no further ones.
    """
    counts: Counter[str] = Counter()
    if not any(use.wish for use in role.claims):
        return counts
    kept = has_kept_claims(claims, gang)
    for use in role.claims:
        if use.wish is not None and not (kept and use.sharing is Sharing.KEPT):
            of_class = f"{_class_of(use.wish, claims)}{_OF_CLASS}"
            for prefix in ("", of_class):
                counts.update({f"{prefix}{name}": 1 for name in _CLAIMS})
                counts[f"{prefix}{_STORAGE}"] += use.wish.size
    return +counts


def _class_of(wish: VolumeWish, claims: Claims) -> str:
    """The name of the class as admission fills it in."""
    if wish.storage_class is not None:
        return wish.storage_class
    default = claims.storage.class_of(None)
    return "" if default is None else default.name
