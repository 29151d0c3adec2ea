"""Assigns ranks to the nodes of a plan, so that each rank is where its volumes are. A plan does not assign ranks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from coschedule import Members
from lockstep.belief.common.matching import Matching
from lockstep.belief.nodes.node_index import Names
from lockstep.belief.volumes.kept_volumes import Places


def ordered_by_rank(members: Sequence[Members], places: Places) -> tuple[Members, ...] | None:
    """The same members, role by role, in an order that puts each rank where its volumes are; None if impossible.

    Ranks without volumes keep the order of the list.
    """
    ordered: list[Members] = []
    first = 0
    for _, of_role in groupby(members, key=lambda entry: entry.role):
        entries = list(of_role)
        size = sum(entry.count for entry in entries)
        those = _of_role(entries, size, places.part(first, size))
        if those is None:
            return None
        ordered, first = [*ordered, *those], first + size
    return tuple(ordered)


def _of_role(members: Sequence[Members], size: int, places: Places) -> tuple[Members, ...] | None:
    entries = _matched(members, places.there)
    if entries is None:
        return None
    taken = Counter(entries.values())
    left = iter([number for number, entry in enumerate(members) for _ in range(entry.count - taken[number])])
    order = [entries[rank] if rank in entries else next(left) for rank in range(size)]
    return tuple(replace(members[number], count=len(list(those))) for number, those in groupby(order))


def _matched(members: Sequence[Members], places: Mapping[int, Names]) -> dict[int, int] | None:
    """The entry of the list for each of these ranks; None if impossible.

    No entry gets more ranks than it has members.
    """
    ranks: dict[Names, list[int]] = {}
    for rank, place in places.items():
        ranks.setdefault(place, []).append(rank)
    matching = Matching([entry.count for entry in members], allowed := _allowed(members, ranks))
    # Ranks with the fewest entries come first, so few have to move again.
    for place in sorted(ranks, key=lambda one: len(allowed[one])):
        if not matching.find_room(place, len(ranks[place])):
            return None
    return {
        rank: entry for place in ranks for rank, entry in zip(ranks[place], matching.entries_of(place), strict=True)
    }


def _allowed(members: Sequence[Members], places: Iterable[Names]) -> dict[Names, list[int]]:
    """The entries in each place, in rising order."""
    on_node: dict[str, list[int]] = {}
    for number, entry in enumerate(members):
        on_node.setdefault(entry.node, []).append(number)
    return {place: sorted(number for node in place & on_node.keys() for number in on_node[node]) for place in places}
