"""A change of the size of a gang that runs."""

from typing import NamedTuple

from coschedule.queue.problem.gangs import GangKey


class SizeChange(NamedTuple):
    """A gang that had ``was`` members continues with one member on each of ``nodes``.

    It ends at ``end``. Without the change it would end at ``end_before``. If ``is_open_ended``, both are guesses, or
    inf. It gives room to the gang ``made_for``: to a more urgent one, or as a gang of unknown end. That is None where
    it grows into idle nodes, its size was asked for, or all gangs gain by the change. ``fixed`` more members, whose
    number never changes, keep their nodes.
    """

    gang: GangKey
    was: int
    nodes: tuple[int, ...]
    end: float
    end_before: float
    is_open_ended: bool = False
    made_for: GangKey | None = None
    fixed: int = 0

    @property
    def size_before(self) -> int:
        """How many members the gang had, with the fixed ones."""
        return self.was + self.fixed

    @property
    def size_after(self) -> int:
        """How many members the gang will have, with the fixed ones."""
        return len(self.nodes) + self.fixed
