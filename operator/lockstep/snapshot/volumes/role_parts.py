"""The members of one role whose volumes are in several places, as the planner sees them: a role for each place.

So the plan has every rank where its own volumes are, and not just as many members there as there are volumes. Members
whose volumes are each on one node stay together: no node then takes more of them than it has volumes for.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from coschedule import Members, Sizes, Term
from lockstep.belief.nodes.node_index import Names
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import Places, kept_places, places_of_role
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.role import RoleSpec
from lockstep.snapshot.affinity.affinity import Bar
from lockstep.snapshot.volumes.volume_demand import VolumeDemand, demand_of

# No name of a role has it.
_MARK = "/volumes "
# More places than a cluster has zones; beyond, a plan takes too long.
_MOST_PARTS = 8
_ELSEWHERE = "from which the volumes of some of its members can't be reached"


class Part(NamedTuple):
    """Some members of a role, planned as a role of their own, and what their volumes ask besides those of all."""

    name: str
    sizes: Sizes
    demand: VolumeDemand


def parts_of(state: State, gang: GangFact, role: RoleSpec) -> tuple[Part, ...]:
    """The role as one part, or as several; only an equal load can be planned in parts."""
    assert gang.spec is not None, "a refused gang is not planned"
    whole = demand_of(state, gang, role)
    places = places_of_role(gang.spec, role, kept_places(state.claims, gang))
    rest = whole._replace(barred=(), no_new=(), most_new={})
    if not places.there:
        sizes = _exactly(places.size) if places.size else role.sizes
        return (Part(role.name, sizes, rest),)
    demands = list(_demands(state.nodes.index().all, places, whole.new))
    if len(demands) == 1 or len(demands) > _MOST_PARTS or role.load.is_unequal:
        return (Part(role.name, _exactly(places.size), rest),)
    return tuple(
        Part(f"{role.name}{_MARK}{number}", _exactly(count), demand._replace(attached=whole.attached))
        for number, (count, demand) in enumerate(demands, 1)
    )


def without_parts(members: Iterable[Members]) -> tuple[Members, ...]:
    """The members by the roles that the gang has."""
    return tuple(replace(entry, role=whole_role(entry.role)) for entry in members)


def whole_role(part: str) -> str:
    """The name of the role of which that is a part."""
    return part.partition(_MARK)[0]


def terms_of_parts(terms: Iterable[Term], parts: Collection[str]) -> tuple[Term, ...]:
    """The terms, which hold for every part of the roles that they name."""

    def named(roles: frozenset[str]) -> frozenset[str]:
        return frozenset(part for part in parts if whole_role(part) in roles)

    return tuple(replace(term, roles=named(term.roles), towards=named(term.towards)) for term in terms)


def _demands(nodes: Names, places: Places, new: VolumeDemand) -> Iterator[tuple[int, VolumeDemand]]:
    """By place: how many members, and what their volumes demand; those that have none yet go where they can be made."""
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
