"""Which rank is on which of a plan's nodes: each where its volumes are. A plan itself leaves that open."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from coschedule import Members
from lockstep.belief.kept_volumes import Place
from lockstep.belief.node_index import Names


def ordered_by_rank(members: Sequence[Members], places: Sequence[Place]) -> tuple[Members, ...] | None:
    """The same members, role by role, listed so that each rank is where its volumes are; None where that can't be.

    Ranks that may be anywhere keep the order of the list.
    """
    ordered: list[Members] = []
    first = 0
    for _, of_role in groupby(members, key=lambda entry: entry.role):
        entries = list(of_role)
        size = sum(entry.count for entry in entries)
        those = _of_role(entries, places[first : first + size])
        if those is None:
            return None
        ordered, first = [*ordered, *those], first + size
    return tuple(ordered)


def _of_role(members: Sequence[Members], places: Sequence[Place]) -> tuple[Members, ...] | None:
    size = sum(entry.count for entry in members)
    entries = _matched(members, {rank: place for rank, place in enumerate(places) if place is not None})
    if entries is None:
        return None
    taken = Counter(entries.values())
    left = iter([number for number, entry in enumerate(members) for _ in range(entry.count - taken[number])])
    order = [entries[rank] if rank in entries else next(left) for rank in range(size)]
    return tuple(replace(members[number], count=len(list(those))) for number, those in groupby(order))


def _matched(members: Sequence[Members], places: Mapping[int, Names]) -> dict[int, int] | None:
    """An entry of the list for each of these ranks, none more often than it has members."""
    allowed = {rank: [no for no, entry in enumerate(members) if entry.node in place] for rank, place in places.items()}
    matching = _Matching([entry.count for entry in members], allowed)
    # Who has the least choice chooses first: then hardly anybody has to move again.
    is_complete = all(matching.find_place(rank) for rank in sorted(allowed, key=lambda one: len(allowed[one])))
    return matching.entry_of if is_complete else None


class _Matching:
    """Ranks matched with entries, by augmenting paths: who comes later may have those before move on."""

    def __init__(self, counts: Sequence[int], allowed: Mapping[int, Sequence[int]]) -> None:
        self._allowed = allowed
        self._free = list(counts)
        self._ranks_at: list[set[int]] = [set() for _ in counts]
        self.entry_of: dict[int, int] = {}

    def find_place(self, rank: int) -> bool:
        """Find an entry for one more rank, and say whether there is one."""
        came_from: dict[int, int] = {}
        queue = deque([rank])
        while queue:
            moving = queue.popleft()
            for entry in self._allowed[moving]:
                if entry in came_from:
                    continue
                came_from[entry] = moving
                if self._free[entry]:
                    self._free[entry] -= 1
                    self._move(rank, entry, came_from)
                    return True
                queue.extend(sorted(self._ranks_at[entry]))
        return False

    def _move(self, newcomer: int, entry: int, came_from: Mapping[int, int]) -> None:
        """Let everybody on the path to a free place go one on."""
        while True:
            rank = came_from[entry]
            left = self.entry_of.get(rank)
            self.entry_of[rank] = entry
            self._ranks_at[entry].add(rank)
            if rank == newcomer or left is None:
                return
            self._ranks_at[left].discard(rank)
            entry = left
