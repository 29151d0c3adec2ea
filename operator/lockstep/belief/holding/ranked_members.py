"""Members that come and go while others run: which ranks they have, and which members stay.

Ranks stay with their members. New members get the lowest free ranks. On each node, the members with the highest ranks
leave first. So ranks may have gaps. All members have equal parts of the work.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import count, groupby
from operator import itemgetter
from typing import NamedTuple

from coschedule import Members
from lockstep.facts.ranks import ranks_from, ranks_in

Place = tuple[str, str]
"""The role and the node of a member."""


class RankedMembers(NamedTuple):
    """Members in the order of their ranks.

    ``gapped`` has the ranks, one bit each; None if they are all ranks from 0 on. ``joining`` has the ranks of new
    members, one bit each.
    """

    members: tuple[Members, ...]
    gapped: int | None
    joining: int = 0


def ranked(places: Mapping[int, Place]) -> RankedMembers:
    """The members that have these places, given by rank; no member is new."""
    runs = groupby(places[rank] for rank in sorted(places))
    members = tuple(Members(node, sum(1 for _ in run), role=role) for (role, node), run in runs)
    ranks = ranks_from(places)
    return RankedMembers(members, None if ranks == (1 << len(places)) - 1 else ranks)


def places_of(members: Iterable[Members], gapped: int | None) -> dict[int, Place]:
    """The place of each rank."""
    ranks = count() if gapped is None else ranks_in(gapped)
    places = ((entry.role, entry.node) for entry in members for _ in range(entry.count))
    return dict(zip(ranks, places, strict=False))


def grown(places: Mapping[int, Place], role: str, nodes: Iterable[str]) -> RankedMembers:
    """The members after one more member of ``role`` has joined on each of these nodes."""
    free = (rank for rank in count() if rank not in places)
    new = {next(free): (role, node) for node in nodes}
    return ranked({**places, **new})._replace(joining=ranks_from(new))


def shrunk(places: Mapping[int, Place], kept: Mapping[Place, int]) -> RankedMembers:
    """The members that stay: at each place, ``kept`` has their number, and the lowest ranks stay."""
    left, after = Counter(kept), dict[int, Place]()
    for rank, place in sorted(places.items(), key=itemgetter(0)):
        if left[place] > 0:
            left[place] -= 1
            after[rank] = place
    return ranked(after)


def with_more(before: Iterable[Members], gapped: int | None, after: Iterable[Members]) -> RankedMembers | None:
    """The members in ``after``, of which some join the members in ``before``, as ranked members.

    None if no member joins, or if a member in ``before`` would get another role or node. ``after`` has all members in
    the order of their ranks.
    """
    held = places_of(before, gapped)
    wanted = [(entry.role, entry.node) for entry in after for _ in range(entry.count)]
    free = (rank for rank in count() if rank not in held)
    new = {next(free) for _ in range(len(wanted) - len(held))}
    places = dict(zip(sorted(held.keys() | new), wanted, strict=False))
    if not new or any(places.get(rank) != place for rank, place in held.items()):
        return None
    return ranked(places)._replace(joining=ranks_from(new))
