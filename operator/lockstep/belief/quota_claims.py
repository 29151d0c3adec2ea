"""What a ResourceQuota counts of the volumes that members claim for themselves: as the API server's admission has it.

Claims that all members share are there already, or are nobody's to make here.
"""

from collections import Counter
from collections.abc import Mapping

from lockstep.api.claims import kept_claim
from lockstep.belief.claims import Claims
from lockstep.facts.gang import GangFact
from lockstep.facts.quota import QuotaFact
from lockstep.facts.role import RoleSpec
from lockstep.facts.volume import ClaimKey, Sharing, Wish

_CLAIMS = ("persistentvolumeclaims", "count/persistentvolumeclaims")
_STORAGE = "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"


def claimed(quota: QuotaFact, gang: GangFact, role: RoleSpec, claims: Claims) -> Mapping[str, int]:
    """What the quota counts of the claims that are made with one member, by resource as the quota names it.

    A quota with scopes counts pods only. Claims of ranks, which outlast attempts, are counted as used once there are
    any: a gang has one for each rank that it had, and gets no further ones.
    """
    counts: Counter[str] = Counter()
    if quota.scopes or not any(use.wish for use in role.claims):
        return counts
    kept = _has_kept_claims(gang, claims)
    wishes = [use.wish for use in role.claims if use.wish and not (kept and use.sharing is Sharing.KEPT)]
    for resource, _, _ in quota.amounts:
        counts[resource] += sum(_amount(resource, wish, claims) for wish in wishes)
    return +counts


def _amount(resource: str, wish: Wish, claims: Claims) -> int:
    """What one claim takes: a piece, or bytes; of what is counted by class only where it is of that class."""
    name, is_of_class, what = resource.partition(_OF_CLASS)
    if not is_of_class:
        what = resource
    elif name != _class_of(wish, claims):
        return 0
    if what in _CLAIMS:
        return 1
    return wish.size if what == _STORAGE else 0


def _class_of(wish: Wish, claims: Claims) -> str:
    """The name of the class as admission fills it in."""
    if wish.storage_class is not None:
        return wish.storage_class
    default = claims.storage.class_of(None)
    return "" if default is None else default.name


def _has_kept_claims(gang: GangFact, claims: Claims) -> bool:
    spec = gang.spec
    assert spec is not None, "a refused gang is not planned"
    names = {use.claim for role in spec.roles for use in role.claims if use.sharing is Sharing.KEPT}
    return any(
        ClaimKey(gang.key.namespace, kept_claim(name, gang.key.name, rank)) in claims.claims
        for name in names
        for rank in range(spec.maximum)
    )
