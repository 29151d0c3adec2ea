"""Chooses which running gangs give up members, and on which nodes, so that waiting gangs can start."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import IntArray
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import GangKey, Role
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.resizing.gangs.open_ended_run import OpenEndedRun
from coschedule.resizing.gangs.sized_run import by_pace
from coschedule.resizing.open_ended.givers import Waiter, given_up, soon
from coschedule.resizing.open_ended.idle_nodes import free_by
from coschedule.resizing.seats import members_that_fit


class Giving(NamedTuple):
    """The nodes on which a gang gives up members, an entry for each member, and the first gang that gets the room."""

    nodes: list[int]
    made_for: GangKey


class _Taken(NamedTuple):
    """A number of members of one role on a node, and the request of each of them."""

    node: int
    request: IntArray
    members: int


class Sharing:
    """Finds which gangs give the room that starting gangs need beyond the free room.

    With ``moves``, a member whose planned node lacks room is counted on an idle node if there is one. So running gangs
    give up fewer members.
    """

    def __init__(self, snapshot: Snapshot, givers: Sequence[OpenEndedRun], *, moves: bool) -> None:
        self.giving: dict[GangKey, Giving] = {}
        self._snapshot = snapshot
        self._givers = givers
        self._moves = moves
        self._feasibility = Feasibility(snapshot.nodes)
        self._free = free_by(snapshot, soon(snapshot.now, givers))
        self._spare = {run.key: Counter(given_up(snapshot, run)) for run in givers}

    def start(self, waiter: Waiter, placed: Placement) -> None:
        """Let running gangs give the room that this gang lacks; if they cannot give all of it, they give nothing."""
        taken = self._taken(waiter, placed)
        for one in taken:
            self._free[one.node] -= one.request * one.members
        parts = [part for one in taken for part in self._parts(waiter, one.node)]
        if any((self._free[one.node] < 0).any() for one in taken):
            for one in taken:
                self._free[one.node] += one.request * one.members
            for run, node, count in parts:
                self._give(run, node, -count)
            return
        for run, node, count in parts:
            giving = self.giving.setdefault(run.key, Giving([], waiter.gang.key))
            giving.nodes.extend([node] * count)

    def _taken(self, waiter: Waiter, placed: Placement) -> list[_Taken]:
        """List the nodes that the gang's members take; members whose node lacks room may move to idle nodes."""
        roles, idle = {role.name: role for role in waiter.gang.roles}, self._free.copy()
        staying, lacking = list[_Taken](), list[tuple[Role, _Taken]]()
        for entry in placed.members:
            role, node = roles[entry.role], self._snapshot.nodes.index[entry.node]
            request = np.array(role.request, dtype=np.int64)
            fitting = int(members_that_fit(idle[[node]], request, most=entry.count)[0]) if self._moves else entry.count
            idle[node] -= request * fitting
            staying.append(_Taken(node, request, fitting))
            lacking.append((role, _Taken(node, request, entry.count - fitting)))
        moved = [one for role, left in lacking for one in self._moved(idle, role, left, placed.finish)]
        return [*staying, *moved]

    def _moved(self, idle: IntArray, role: Role, left: _Taken, finish: float) -> Iterator[_Taken]:
        """Put the members in ``left`` on the fastest nodes with idle room, and list them; the others stay."""
        facts, count = self._snapshot, left.members
        if not count:
            return
        is_open = (facts.start <= facts.now) & (facts.until >= finish) & self._feasibility.mask(role.constraints)
        room = np.where(is_open, members_that_fit(idle, left.request, most=count), 0)
        for node in by_pace(np.flatnonzero(room).tolist(), facts.slowdown, facts.until):
            part = min(count, int(room[node]))
            idle[node] -= left.request * part
            count -= part
            yield _Taken(node, left.request, part)
        yield left._replace(members=count)

    def _parts(self, waiter: Waiter, node: int) -> Iterator[tuple[OpenEndedRun, int, int]]:
        """Let gangs that may shrink give up members until the node has room; list each gang, node and number."""
        for run in self._givers:
            if self._spare[run.key][node] and waiter.gains_from(run, self._snapshot.now):
                count = min(self._spare[run.key][node], _members_for(-self._free[node], run.request))
                self._give(run, node, count)
                yield run, node, count

    def _give(self, run: OpenEndedRun, node: int, count: int) -> None:
        """Count members of a gang as given up on a node; a negative ``count`` takes them back."""
        self._spare[run.key][node] -= count
        self._free[node] += np.array(run.request, dtype=np.int64) * count


def _members_for(lacking: IntArray, request: Sequence[int]) -> int:
    """Return how many members have to go until a node no longer lacks any resource that they take."""
    needed = (-(-int(one) // each) for one, each in zip(lacking, request, strict=True) if each and one > 0)
    return max(needed, default=0)
