"""Matches ranks to entries of a placement, by augmenting paths. Ranks that may use the same entries form a group."""

from collections import Counter, deque
from collections.abc import Hashable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

Group = TypeVar("Group", bound=Hashable)


class _Move(NamedTuple, Generic[Group]):
    """A move of ranks of a group to ``entry``. They leave the entry ``left``; None if they had no entry before."""

    group: Group
    left: int | None
    entry: int


class Matching(Generic[Group]):
    """Entries with room for a number of ranks each, and the entries that each group of ranks may use.

    Room for one group may be made by moving ranks of other groups to other entries. The work grows with the entries
    that groups may use, not with ranks.
    """

    def __init__(self, room: Sequence[int], allowed: Mapping[Group, Sequence[int]]) -> None:
        self._allowed = allowed
        self._room = list(room)
        self._at: list[Counter[Group]] = [Counter() for _ in room]

    def find_room(self, group: Group, count: int) -> bool:
        """Find room for ``count`` more ranks of a group; returns whether there is enough."""
        for entry in self._allowed[group]:
            if count and self._room[entry]:
                count -= self._carry_out([_Move(group, None, entry)], count)
        while count:
            moves = self._moves_for(group)
            if not moves:
                return False
            count -= self._carry_out(moves, count)
        return True

    def entries_of(self, group: Group) -> list[int]:
        """The entry of each rank of the group, in entry order."""
        return [entry for entry in self._allowed[group] for _ in range(self._at[entry][group])]

    def _moves_for(self, group: Group) -> list[_Move[Group]]:
        """The shortest chain of moves that gives a rank of the group an entry; empty if there is none.

        The first move goes to an entry with room. Each later move goes to the entry that the move before it has left.
        """
        came_by: dict[int, _Move[Group]] = {}
        seen = {group}
        queue = deque[tuple[Group, int | None]]([(group, None)])
        while queue:
            moving, left = queue.popleft()
            for entry in self._allowed[moving]:
                if entry in came_by:
                    continue
                came_by[entry] = _Move(moving, left, entry)
                if self._room[entry]:
                    return _back_from(entry, came_by)
                others = [other for other in self._at[entry] if other not in seen]
                seen.update(others)
                queue.extend((other, entry) for other in others)
        return []

    def _carry_out(self, moves: Sequence[_Move[Group]], count: int) -> int:
        """Move at most ``count`` ranks; returns how many were moved."""
        moved = min(
            count,
            self._room[moves[0].entry],
            *(self._at[move.left][move.group] for move in moves if move.left is not None),
        )
        self._room[moves[0].entry] -= moved
        for move in moves:
            self._at[move.entry][move.group] += moved
            if move.left is not None:
                self._at[move.left][move.group] -= moved
                if not self._at[move.left][move.group]:
                    del self._at[move.left][move.group]
        return moved


def _back_from(entry: int, came_by: Mapping[int, _Move[Group]]) -> list[_Move[Group]]:
    moves = [came_by[entry]]
    while moves[-1].left is not None:
        moves.append(came_by[moves[-1].left])
    return moves
