"""Splits a role whose members have volumes in several places: the planner gets one role for each place.

So the plan puts every rank where its own volumes are, and not only the right number of members. Members whose volumes
are each on a single node form one part. Each node takes only as many of them as it has volumes for.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from coschedule import Members, Sizes, Term
from lockstep.belief.nodes.node_index import Names
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import Places, kept_places, places_of_role
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.role import RoleSpec
from lockstep.snapshot.affinity.affinity import Bar
from lockstep.snapshot.volumes.volume_demand import VolumeDemand, demand_of

# No role name contains this.
_MARK = "/volumes "
# A cluster has fewer zones. With more parts, a plan takes too long.
_MOST_PARTS = 8
_ELSEWHERE = "from which the volumes of some of its members can't be reached"


class Part(NamedTuple):
    """Some members of a role, planned as a role of their own, and the additional demand of their volumes."""

    name: str
    sizes: Sizes
    demand: VolumeDemand


def parts_of(state: State, gang: AcceptedGang, role: RoleSpec) -> tuple[Part, ...]:
    """The role as one part, or as several parts. Only a role with an equal load can be planned in several parts."""
    whole = demand_of(state, gang, role)
    places = places_of_role(gang.spec, role, kept_places(state.claims, gang))
    rest = whole._replace(barred=(), no_new=(), most_new={})
    if not places.there:
        sizes = _exactly(places.size) if places.size else gang.planned_sizes(role)
        return (Part(role.name, sizes, rest),)
    demands = list(_demands(state.nodes.index().all, places, whole.new))
    if len(demands) == 1 or len(demands) > _MOST_PARTS or role.load.is_unequal:
        return (Part(role.name, _exactly(places.size), rest),)
    return tuple(
        Part(f"{role.name}{_MARK}{number}", _exactly(count), demand._replace(attached=whole.attached))
        for number, (count, demand) in enumerate(demands, 1)
    )


def without_parts(members: Iterable[Members]) -> tuple[Members, ...]:
    """The members, each entry with the gang's own role instead of a part."""
    return tuple(replace(entry, role=whole_role(entry.role)) for entry in members)


def whole_role(part: str) -> str:
    """The role to which that part belongs."""
    return part.partition(_MARK)[0]


def terms_of_parts(terms: Iterable[Term], parts: Collection[str]) -> tuple[Term, ...]:
    """The terms, applied to every part of the roles that they name."""

    def named(roles: frozenset[str]) -> frozenset[str]:
        return frozenset(part for part in parts if whole_role(part) in roles)

    return tuple(replace(term, roles=named(term.roles), towards=named(term.towards)) for term in terms)


def _demands(nodes: Names, places: Places, new: VolumeDemand) -> Iterator[tuple[int, VolumeDemand]]:
    """By place: the number of members and the demand of their volumes; members without volumes come last."""
    by_place = Counter(places.there.values())
    alone = {node: count for place, count in by_place.items() if len(place) == 1 for node in place}
    if alone:
        yield sum(alone.values()), VolumeDemand(_all_but(nodes, alone), alone)
    for place, count in by_place.items():
        if len(place) != 1:
            yield count, VolumeDemand(_all_but(nodes, place))
    if places.to_be_made:
        yield places.to_be_made, new


def _all_but(nodes: Names, place: Iterable[str] | Mapping[str, int]) -> tuple[Bar, ...]:
    return ((_ELSEWHERE, nodes.difference(place)),)


def _exactly(count: int) -> Sizes:
    return Sizes(minimum=count, maximum=count)
