"""What the volumes of a gang's members ask of a plan: nodes to leave out, how many members on each, and which size.

A claim that is kept over restarts belongs to a rank, and once it has a volume, the member of that rank can only be
where that can be reached.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from lockstep.api.claims import kept_claim
from lockstep.belief.claims import Claims
from lockstep.belief.node_index import Names
from lockstep.belief.provisioning import Supply
from lockstep.belief.state import State
from lockstep.belief.volume_choice import Seeker
from lockstep.belief.volume_users import by_attach_limits, by_claims_in_use, most_by_attach_limits
from lockstep.facts.gang import GangFact, GangSpec
from lockstep.facts.volume import ClaimKey, Sharing

Bar = tuple[str, Names]
Place = Names | None
"""The nodes that reach a rank's volumes; None where these are yet to be made."""


class VolumeDemand(NamedTuple):
    """What the volumes of a gang ask of its plan.

    ``barred``: where no member can be, each with a phrase that completes "3 nodes ...". ``most``: on nodes that are
    named, no more members than that. ``ranks``: where each rank's volumes are, once there are any; the gang then has as
    many members as these.
    """

    barred: tuple[Bar, ...] = ()
    most: Mapping[str, int] = {}
    ranks: tuple[Place, ...] = ()


def demand_of(state: State, gang: GangFact) -> VolumeDemand:
    """What the claims of a gang ask of its plan. Once it has reserved nodes, its attempt sees to its claims."""
    spec = gang.spec
    assert spec is not None, "a refused gang is not planned"
    if not spec.claims:
        return VolumeDemand()
    used = (*by_claims_in_use(state, gang), *by_attach_limits(state, gang))
    if gang.key in state.reservations:
        return VolumeDemand(used)
    placed = _of_volumes(state, gang, spec)
    attached = most_by_attach_limits(state, gang)
    full = ("where its volumes can't be attached", frozenset(node for node, most in attached.items() if not most))
    barred = tuple(bar for bar in (*used, *placed.barred, full) if bar[1])
    return VolumeDemand(barred, _least(placed.most, attached), placed.ranks)


def _of_volumes(state: State, gang: GangFact, spec: GangSpec) -> VolumeDemand:
    """What follows from where volumes are, and from where they can be made."""
    claims, failed = state.claims, state.failed_nodes.of(gang.uid)
    shared, own = claims.seekers(gang, Sharing.SHARED), claims.seekers(gang, Sharing.KEPT)
    supply = claims.provisioning.supply(shared, own, members=spec.maximum)
    ranks = ranks_with_volumes(claims, gang, spec)
    if ranks:
        for_all = claims.provisioning.supply(shared, (), members=spec.maximum)
        no_new = supply.without | supply.short | failed
        return _of_ranks(state, ranks, supply.most, no_new, (*_told(state, shared), *_unprovided(for_all)))
    barred = (*_told(state, shared), *_unprovided(supply))
    if shared or own:
        barred = (*barred, ("where its volumes could not be made lately", failed))
    return VolumeDemand(barred, supply.most)


def _unprovided(supply: Supply) -> tuple[Bar, ...]:
    without = ("where no volume is for its claims, and none can be made", supply.without)
    return without, ("without room for the volumes of its claims", supply.short)


def _least(one: Mapping[str, int], other: Mapping[str, int]) -> Mapping[str, int]:
    both = {node: min(one[node], other[node]) for node in one.keys() & other.keys()}
    return {node: count for node, count in {**one, **other, **both}.items() if count}


def ranks_with_volumes(claims: Claims, gang: GangFact, spec: GangSpec) -> tuple[Place, ...]:
    """Where the volumes of each rank are, of as many ranks as have claims; nothing where no volume is yet."""
    templates = [use.claim for use in spec.claims if use.sharing is Sharing.KEPT]
    places: list[Place] = []
    for rank in range(spec.maximum if templates else 0):
        keys = [ClaimKey(gang.key.namespace, kept_claim(name, gang.key.name, rank)) for name in templates]
        there = [claims.claims[key] for key in keys if key in claims.claims]
        if there:
            places += [None] * (rank - len(places))
            places.append(_common(claims.reach(claim) for claim in there))
    return tuple(places) if any(place is not None for place in places) else ()


def _common(places: Iterable[Place]) -> Place:
    common: Place = None
    for place in places:
        if place is not None:
            common = place if common is None else common & place
    return common


def _told(state: State, shared: Iterable[Seeker]) -> Iterator[Bar]:
    for seeker in shared:
        if seeker.told:
            phrase = f"other than {seeker.told}, for which the volume of claim {seeker.key.name} is made"
            yield phrase, frozenset(state.nodes) - {seeker.told}


def _of_ranks(
    state: State, ranks: tuple[Place, ...], most: Mapping[str, int], no_new: Names, barred: tuple[Bar, ...]
) -> VolumeDemand:
    """A gang that has volumes: each node takes as many members as there are ranks that can be there."""
    there = Counter(node for place in ranks if place is not None for node in place)
    new = sum(place is None for place in ranks)
    limits = {node: there[node] + (0 if node in no_new else min(new, most.get(node, new))) for node in state.nodes}
    nobody = frozenset(node for node, limit in limits.items() if not limit)
    limited = {node: limit for node, limit in limits.items() if 0 < limit < len(ranks)}
    return VolumeDemand((*barred, ("from which its members' volumes can't be reached", nobody)), limited, ranks)
