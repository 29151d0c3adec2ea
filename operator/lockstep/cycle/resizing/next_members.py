"""The members with which a gang continues at another size, and their nodes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from coschedule import Members, SizeChange
from lockstep.belief.holding.ranked_members import RankedMembers, grown, places_of, shrunk
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.gang.role_sizes import varying_role


def next_members(spec: GangSpec, held: Reservation, change: SizeChange, names: Sequence[str]) -> RankedMembers | None:
    """The members after a change; None if some would have to move although the other members run on.

    Members of roles whose size does not vary keep their nodes.
    """
    counts = Counter(names[node] for node in change.nodes)
    if spec.keeps_members:
        return _beside(spec, held, counts)
    return RankedMembers(tuple(_anew(spec, held, counts)), None)


def _anew(spec: GangSpec, held: Reservation, counts: Mapping[str, int]) -> Iterator[Members]:
    """The members of a new attempt.

    ``counts`` has the members by node for the varying role; other roles keep their nodes.
    """
    varying = varying_role(spec.roles)
    for role in spec.roles:
        if role is varying:
            yield from (Members(node, counts[node], role=role.name) for node in sorted(counts))
        else:
            yield from (entry for entry in held.members if entry.role == role.name)


def _beside(spec: GangSpec, held: Reservation, counts: Counter[str]) -> RankedMembers | None:
    """The members after some have joined or left. ``counts`` has the members by node for the varying role.

    None if a member would have to move.
    """
    role = varying_role(spec.roles)
    assert role is not None, "a gang that changes its size has one role whose size varies"
    places = places_of(held.members, held.gapped)
    before = Counter(node for name, node in places.values() if name == role.name)
    if before <= counts:
        return grown(places, role.name, sorted((counts - before).elements()))
    if not counts <= before:
        return None
    kept = Counter(place for place in places.values() if place[0] != role.name)
    return shrunk(places, kept + Counter({(role.name, node): count for node, count in counts.items()}))
