"""Volumes that ranks keep from earlier attempts. A member can only be on nodes that reach the volumes of its rank.

A gang with such volumes keeps the size with which they were made, so every rank has the same work as before. Only
existing claims are read: a gang may have thousands of ranks without any claim.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lockstep.belief.nodes.node_index import Names
from lockstep.belief.volumes.claims import Claims
from lockstep.facts.cluster.volume import ClaimFact, Sharing
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.role_sizes import claims_stay, sizes_of


@dataclass(frozen=True, slots=True)
class Places:
    """The nodes that reach the volumes of ``size`` ranks, from rank 0 on.

    ``there`` has the nodes that reach the volumes of a rank. Ranks without an entry have no volumes yet.
    """

    size: int = 0
    there: Mapping[int, Names] = field(default_factory=dict)

    def part(self, first: int, count: int) -> "Places":
        """The places of ``count`` ranks from ``first`` on, numbered from 0."""
        return Places(count, {rank - first: names for rank, names in self.there.items() if 0 <= rank - first < count})

    @property
    def to_be_made(self) -> int:
        """The number of ranks without volumes."""
        return self.size - len(self.there)


NO_PLACES = Places()


def kept_places(claims: Claims, gang: GangFact) -> Places:
    """The nodes that reach the volumes of each rank.

    ``NO_PLACES`` if no rank has volumes, or the gang can't have its earlier size any more.
    """
    return claims.remembered(_places, gang) if has_kept_claims(claims, gang) else NO_PLACES


def has_kept_claims(claims: Claims, gang: GangFact) -> bool:
    """Whether a kept claim exists for any rank that the gang can have."""
    return any(True for _ in _kept(claims, gang))


def places_of_role(spec: GangSpec, role: RoleSpec, places: Places) -> Places:
    """The places of the ranks of one role.

    In an elastic gang, a role without claims of its own has no places, since its number of members may change.
    """
    if spec.elastic is not None and not role.claim_templates and claims_stay(spec.roles):
        return NO_PLACES
    sizes = sizes_of(spec.roles, places.size) if places.size else None
    first = 0
    for one in spec.roles if sizes else ():
        count = (sizes or {})[one.name].minimum
        if one.name == role.name:
            return places.part(first, count)
        first += count
    return NO_PLACES


def _places(claims: Claims, gang: GangFact) -> Places:
    """The places of the gang's ranks at its earlier size, if it can still have that size."""
    kept = list(_kept(claims, gang))
    size = max(claim.gang_size for _, claim in kept)
    if not isinstance(gang, AcceptedGang) or sizes_of(gang.spec.roles, size) is None:
        return NO_PLACES
    of_rank: dict[int, dict[Names, None]] = {}
    for rank, claim in kept:
        reached = claims.reach(claim) if rank < size else None
        if reached is not None:
            of_rank.setdefault(rank, {})[reached] = None
    common = {places: frozenset.intersection(*places) for places in set(map(tuple, of_rank.values()))}
    return Places(size, {rank: common[tuple(of_rank[rank])] for rank in sorted(of_rank)}) if of_rank else NO_PLACES


def _kept(claims: Claims, gang: GangFact) -> Iterator[tuple[int, ClaimFact]]:
    """The existing claims of the ranks that the gang can have, whatever role these ranks had."""
    roles = gang.spec.roles if gang.spec else ()
    maximum = sum(role.sizes.maximum for role in roles)
    uses = (use for role in roles for use in role.claims if use.sharing is Sharing.KEPT)
    for template in dict.fromkeys(use.claim for use in uses):
        for rank, claim in claims.kept(gang.key, template).items():
            if rank < maximum:
                yield rank, claim
