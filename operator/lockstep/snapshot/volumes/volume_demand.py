"""Requirements of a role's volumes for a plan: excluded nodes, and limits by node."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from lockstep.belief.nodes.failed_nodes import NodeFailure
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import Places, kept_places, places_of_role
from lockstep.belief.volumes.provisioning import Supply
from lockstep.belief.volumes.volume_choice import Seeker
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role import RoleSpec
from lockstep.snapshot.affinity.affinity import Bar
from lockstep.snapshot.volumes.volume_users import by_attach_limits, by_claims_in_use, own_volumes, shared_volumes

_NOTHING: Mapping[str, int] = {}


class VolumeDemand(NamedTuple):
    """Requirements of a role's volumes for the gang's plan.

    ``barred``: nodes where no member can be, with a phrase that completes "3 nodes ...". ``most``: the most members on
    the named nodes. ``attached``: the number of volumes of these drivers that each member attaches. If only some
    members have volumes, ``no_new`` and ``most_new`` are ``barred`` and ``most`` for the other members.
    """

    barred: tuple[Bar, ...] = ()
    most: Mapping[str, int] = _NOTHING
    attached: Mapping[str, int] = _NOTHING
    no_new: tuple[Bar, ...] = ()
    most_new: Mapping[str, int] = _NOTHING

    @property
    def new(self) -> "VolumeDemand":
        """The requirements for members that have no volumes yet."""
        return VolumeDemand(self.no_new, self.most_new, self.attached)


def demand_of(state: State, gang: AcceptedGang, role: RoleSpec) -> VolumeDemand:
    """The requirements of a role's claims for its plan. The attempt of a reserved gang checks the claims itself."""
    if not role.claims:
        return VolumeDemand()
    used = (*by_claims_in_use(state, gang, role), *by_attach_limits(state, gang, role))
    if gang.key in state.reservations:
        return VolumeDemand(used)
    placed = _with_attached(state, gang, role, _of_volumes(state, gang, role))
    return placed._replace(barred=tuple(bar for bar in (*used, *placed.barred) if bar[1]))


def _with_attached(state: State, gang: GangFact, role: RoleSpec, placed: VolumeDemand) -> VolumeDemand:
    """The demand, with the number of volumes that each member attaches, by drivers that have limits.

    If members also share volumes of such a driver, a node attaches each shared volume only once. Then the demand limits
    the members on each node instead.
    """
    attachments = state.attachments
    own = {driver: count for driver, count in own_volumes(state, gang, role).items() if attachments.room(driver)}
    shared = frozenset(volume for volume in shared_volumes(state, gang, role) if volume.driver in own)
    if not shared:
        return placed._replace(attached=own)
    most = attachments.most(own, shared, members=role.sizes.maximum)
    full = ("where its volumes can't be attached", frozenset(node for node, count in most.items() if not count))
    return placed._replace(barred=(*placed.barred, full), most=_least(placed.most, most))


def _of_volumes(state: State, gang: AcceptedGang, role: RoleSpec) -> VolumeDemand:
    """The requirements that follow from where volumes are, and where they can be made."""
    claims, failed = state.claims, state.failed_nodes.of(gang.uid, NodeFailure.VOLUMES)
    shared, own = claims.shared_seekers(gang.key, role), claims.own_seekers(gang.key, role)
    supply = claims.provisioning.supply(shared, own, members=role.sizes.maximum)
    places = places_of_role(gang.spec, role, kept_places(claims, gang))
    barred = (*_on_other_nodes(state, shared), *_unprovided(supply))
    if shared or own:
        barred = (*barred, (NodeFailure.VOLUMES.value, failed))
    if not places.there:
        return VolumeDemand(barred, supply.most)
    for_all = claims.provisioning.supply(shared, (), members=role.sizes.maximum)
    kept = _of_kept(state, places, VolumeDemand(barred, supply.most))
    return kept._replace(barred=(*_on_other_nodes(state, shared), *_unprovided(for_all), *kept.barred))


def _of_kept(state: State, places: Places, new: VolumeDemand) -> VolumeDemand:
    """The demand of a role with volumes: each node takes as many members as there are ranks that can be there."""
    no_new = frozenset[str]().union(*(names for _, names in new.barred))
    most = _ranks_by_node(places)
    for node in state.nodes.index().all - no_new if places.to_be_made else ():
        most[node] += min(places.to_be_made, new.most.get(node, places.to_be_made))
    barred = (("from which its members' volumes can't be reached", state.nodes.index().all.difference(most)),)
    limited = {node: limit for node, limit in most.items() if limit < places.size and node in state.nodes}
    return VolumeDemand(barred, limited, _NOTHING, tuple(bar for bar in new.barred if bar[1]), new.most)


def _ranks_by_node(places: Places) -> Counter[str]:
    """The number of ranks with volumes that each node reaches."""
    ranks: Counter[str] = Counter()
    for names, count in Counter(places.there.values()).items():
        ranks.update(dict.fromkeys(names, count))
    return ranks


def _on_other_nodes(state: State, shared: Iterable[Seeker]) -> Iterator[Bar]:
    for seeker in shared:
        if seeker.selected_node:
            phrase = f"other than {seeker.selected_node}, for which the volume of claim {seeker.key.name} is created"
            yield phrase, state.nodes.index().all - {seeker.selected_node}


def _unprovided(supply: Supply) -> tuple[Bar, ...]:
    without = ("where no volume suits its claims, and none can be created", supply.without)
    return without, ("without room for the volumes of its claims", supply.short)


def _least(one: Mapping[str, int], other: Mapping[str, int]) -> Mapping[str, int]:
    if not one:
        return {node: count for node, count in other.items() if count}
    both = {node: min(one[node], other[node]) for node in one.keys() & other.keys()}
    return {node: count for node, count in {**one, **other, **both}.items() if count}
