"""Volumes that a gang's ranks have from earlier attempts: the member of such a rank can only be where they are.

The gang then keeps the number of members with which they were made, so that every rank is again what it was.
"""

from collections.abc import Iterable

from coschedule import Sizes
from lockstep.api.claims import kept_claim
from lockstep.belief.claims import Claims
from lockstep.belief.node_index import Names
from lockstep.facts.gang import GangFact, GangSpec
from lockstep.facts.role import RoleSpec
from lockstep.facts.volume import ClaimFact, ClaimKey, Sharing

Place = Names | None
"""The nodes that reach a rank's volumes; None where these are yet to be made."""


def kept_places(claims: Claims, gang: GangFact) -> tuple[Place, ...]:
    """Where the volumes of each rank are, of all members; nothing where no rank has any."""
    spec = gang.spec
    if spec is None or not any(role.claim_templates for role in spec.roles):
        return ()
    by_rank = [_claims_of(claims, gang, spec, rank) for rank in range(spec.maximum)]
    size = max((claim.gang_size for those in by_rank for claim in those), default=0)
    places = tuple(_common(claims.reach(claim) for claim in those) for those in by_rank[:size])
    is_usual = sizes_of(spec, size) is not None and any(place is not None for place in places)
    return places if is_usual else ()


def sizes_of(spec: GangSpec, size: int) -> dict[str, Sizes] | None:
    """The sizes of the roles of a gang with so many members; None where it can't have so many."""
    others = sum(role.sizes.least for role in spec.roles if not role.sizes.vary)
    sizes = {role.name: size - others if role.sizes.vary else role.sizes.least for role in spec.roles}
    if sum(sizes.values()) != size or not all(_can_be(role.sizes, sizes[role.name]) for role in spec.roles):
        return None
    return {name: Sizes(minimum=count, maximum=count) for name, count in sizes.items()}


def places_of_role(spec: GangSpec, role: RoleSpec, places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Those of the ranks of one role."""
    if not places:
        return ()
    sizes = sizes_of(spec, len(places)) or {}
    first = 0
    for one in spec.roles:
        count = sizes[one.name].minimum if sizes else 0
        if one.name == role.name:
            return places[first : first + count]
        first += count
    return ()


def _can_be(sizes: Sizes, count: int) -> bool:
    return len(sizes.between(count, count)) == 1


def _claims_of(claims: Claims, gang: GangFact, spec: GangSpec, rank: int) -> list[ClaimFact]:
    """The claims that are there of a rank, whatever its role was."""
    uses = (use for role in spec.roles for use in role.claims if use.sharing is Sharing.KEPT)
    names = dict.fromkeys(kept_claim(use.claim, gang.key.name, rank) for use in uses)
    keys = (ClaimKey(gang.key.namespace, name) for name in names)
    return [claims.claims[key] for key in keys if key in claims.claims]


def _common(places: Iterable[Place]) -> Place:
    common: Place = None
    for place in places:
        if place is not None:
            common = place if common is None else common & place
    return common
