"""The memory of the previous plan: the promise and the placement of each gang."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import FloatArray
from coschedule.queue.choosing.own_speeds import own_slowdowns
from coschedule.queue.keeping.stretch import stretch
from coschedule.queue.problem.decisions import Placement, Plan
from coschedule.queue.problem.gangs import Kept, PendingGang, Seat
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.search.finishes import finish_of


def remembering(snapshot: Snapshot, before: Snapshot, made: Plan) -> Snapshot:
    """Return the snapshot whose gangs remember the plan that was ``made`` on ``before``.

    A promise is remembered as long as the gang requests the same. A placement is kept if its nodes still exist and are
    as fast for the gang as before. If all run times of the gang have changed by one factor, the run time of the
    placement is multiplied by this factor. If its nodes or its work have changed in another way, the placement is
    dropped, and counts as a lost place. A gang that now requests something else has neither promise nor lost place.
    Gangs that were not planned before do not change.
    """
    memory = _Memory(snapshot, before, made)
    return replace(snapshot, gangs=tuple(memory.remembered_by(gang) for gang in snapshot.gangs))


class _Memory:
    """The promises and placements of the plan that was ``made`` on the snapshot ``before``."""

    def __init__(self, snapshot: Snapshot, before: Snapshot, made: Plan) -> None:
        self._snapshot = snapshot
        self._before = before
        self._placements = {one.gang: one for one in made.decisions if isinstance(one, Placement)}
        self._asked = {gang.key: gang for gang in before.gangs}
        self._equally_fast_nodes = _equally_fast_nodes(snapshot, before, snapshot.slowdown, before.slowdown)
        self._is_same_kind = _are_kinds_the_same(snapshot, before)

    def remembered_by(self, gang: PendingGang) -> PendingGang:
        """Return the gang with its promise and its placement of the previous plan."""
        was, placement = self._asked.get(gang.key), self._placements.get(gang.key)
        if was is None:
            return gang
        if placement is None:
            return gang.remembering(gang.promised, None)
        if not _asks_for_the_same(gang, was, self._snapshot.resources, self._before.resources):
            return gang.remembering(math.inf, None)
        promised = math.inf if placement.promised is None else placement.promised
        kept = self._kept(gang, was, placement)
        return gang.remembering(promised, kept, lost_place=kept is None)

    def _kept(self, gang: PendingGang, was: PendingGang, placement: Placement) -> Kept | None:
        times, nodes = stretch(was.work, gang.work), self._nodes_as_fast(gang, was)
        names = self._snapshot.nodes.names
        is_same = len(nodes) == len(names) == len(self._before.nodes.names)
        if times == 1 and is_same and _is_kept_still(was.kept, placement, names):
            return was.kept
        return _kept(placement, gang, nodes, times)

    def _nodes_as_fast(self, gang: PendingGang, was: PendingGang) -> dict[str, int]:
        """Return the indices of the nodes that are as fast for the gang as before, by name."""
        if gang.factors == was.factors and (not gang.factors or self._is_same_kind):
            return self._equally_fast_nodes
        slowdowns, slowdowns_before = own_slowdowns(gang, self._snapshot), own_slowdowns(was, self._before)
        return _equally_fast_nodes(self._snapshot, self._before, slowdowns, slowdowns_before)


def with_starts_promised(snapshot: Snapshot, made: Plan) -> Snapshot:
    """Return the snapshot whose gangs remember the plan that was ``made`` on it, with their starts as promises."""
    starts = {one.gang: one.start for one in made.decisions if isinstance(one, Placement)}
    known = remembering(snapshot, snapshot, made)
    gangs = tuple(gang.remembering(starts.get(gang.key, gang.promised), gang.kept) for gang in known.gangs)
    return replace(known, gangs=gangs)


def with_own_promises(snapshot: Snapshot, made: Plan, *, below: int) -> Snapshot:
    """Return the snapshot in which gangs of a priority less than ``below`` have the promises of the plan ``made``."""
    promised = {one.gang: one.promised for one in made.decisions if isinstance(one, Placement)}

    def own(gang: PendingGang) -> PendingGang:
        if gang.priority >= below or gang.key not in promised:
            return gang
        promise = promised[gang.key]
        return gang.remembering(math.inf if promise is None else promise, gang.kept, lost_place=gang.lost_place)

    return snapshot.changed(gangs=tuple(map(own, snapshot.gangs)))


def _asks_for_the_same(
    gang: PendingGang, was: PendingGang, resources: Sequence[str], resources_before: Sequence[str]
) -> bool:
    """Return whether a gang requests the same as before, even if the snapshot now has other resources."""
    if (gang.created, gang.deadline, gang.terms) != (was.created, was.deadline, was.terms):
        return False
    if resources == resources_before and gang.roles == was.roles:
        return True
    return _members_asked(gang, resources) == _members_asked(was, resources_before)


def _members_asked(gang: PendingGang, resources: Sequence[str]) -> list[tuple[object, ...]]:
    return [
        (
            one.name,
            one.sizes,
            one.load,
            (one.pieces, one.piece_weight),
            {n: a for n, a in zip(resources, one.request, strict=True) if a},
        )
        for one in gang.roles
    ]


def kept_from(
    members: Sequence[Members],
    roles: Sequence[str],
    nodes: Mapping[str, int],
    *,
    start: float,
    finish: float,
    latest: str | None = None,
) -> Kept | None:
    """Return a placement with the indices of its nodes, role by role; None if a node or a role does not exist."""
    counts: dict[str, Counter[int]] = {role: Counter() for role in roles}
    for entry in members:
        if entry.node not in nodes or entry.role not in counts:
            return None
        counts[entry.role][nodes[entry.node]] += entry.count
    return Kept(
        start=start,
        finish=finish,
        seats=tuple(tuple(Seat(*seat) for seat in sorted(of_role.items())) for of_role in counts.values()),
        latest=None if latest is None else nodes.get(latest),
    )


def _is_kept_still(kept: Kept | None, placement: Placement, names: Sequence[str]) -> bool:
    """Return whether a placement equals the placement that was kept before it, on nodes with these names."""
    if kept is None or kept.members is not placement.members:
        return False
    latest = None if kept.latest is None else names[kept.latest]
    return (kept.start, kept.finish, latest) == (placement.start, placement.finish, placement.latest)


def _kept(placement: Placement, gang: PendingGang, nodes: Mapping[str, int], times: float | None) -> Kept | None:
    """Return a placement as kept on ``nodes``, with its run time multiplied by ``times``; None if it can't be kept."""
    if times is None:
        return None
    start, latest = placement.start, placement.latest
    # Without a change, the finish stays the same to the last digit.
    finish = placement.finish if times == 1 else finish_of(start, (placement.finish - start) * times)
    roles = [role.name for role in gang.roles]
    kept = kept_from(placement.members, roles, nodes, start=start, finish=finish, latest=latest)
    return None if kept is None else replace(kept, members=placement.members)


def _are_kinds_the_same(snapshot: Snapshot, before: Snapshot) -> bool:
    """Return whether all nodes that existed before still have the same kind, by number."""
    kinds = dict(zip(before.nodes.names, before.kinds.tolist(), strict=True))
    now = zip(snapshot.nodes.names, snapshot.kinds.tolist(), strict=True)
    return all(kinds.get(name, kind) == kind for name, kind in now)


def _equally_fast_nodes(
    snapshot: Snapshot, before: Snapshot, slowdowns: FloatArray, slowdowns_before: FloatArray
) -> dict[str, int]:
    """Return the indices of the nodes that are as fast as before, by name; ``slowdowns`` may be a gang's own."""
    if snapshot.nodes is before.nodes or snapshot.nodes.names == before.nodes.names:
        same = np.flatnonzero(slowdowns == slowdowns_before).tolist()
        return {snapshot.nodes.names[node]: node for node in same}
    known = dict(zip(before.nodes.names, slowdowns_before.tolist(), strict=True))
    now = zip(snapshot.nodes.names, slowdowns.tolist(), strict=True)
    return {name: node for node, (name, slowdown) in enumerate(now) if known.get(name) == slowdown}
