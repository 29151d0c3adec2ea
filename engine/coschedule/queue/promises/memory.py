"""What a plan is to remember of the plan before: what each gang was promised, and what it was given."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from coschedule.queue.decisions import Placement, Plan
from coschedule.queue.gangs import Kept, PendingGang, Seat
from coschedule.queue.snapshot import Snapshot


def remembering(snapshot: Snapshot, before: Snapshot, made: Plan) -> Snapshot:
    """Return the snapshot whose gangs remember what they had in the plan that was ``made`` on ``before``.

    A promise is remembered by whoever waits still. A placement is kept if the gang asks for the same, on the same work,
    and its nodes are there and as fast as they were: its run takes as long then.
    """
    placements = {one.gang: one for one in made.decisions if isinstance(one, Placement)}
    asked = {gang.key: gang for gang in before.gangs}
    same = _same_nodes(snapshot, before)
    gangs = tuple(
        _remembering(gang, asked[gang.key], placements[gang.key], (before.resources, snapshot.resources), same)
        if gang.key in placements and gang.key in asked
        else gang
        for gang in snapshot.gangs
    )
    return replace(snapshot, gangs=gangs)


def _remembering(
    gang: PendingGang,
    before: PendingGang,
    placement: Placement,
    resources: tuple[Sequence[str], Sequence[str]],
    same_nodes: Mapping[str, int],
) -> PendingGang:
    promised = math.inf if placement.promised is None else placement.promised
    if not _asks_the_same(gang, before, resources):
        return replace(gang, promised=promised)
    return replace(gang, promised=promised, kept=kept_from(placement, gang, same_nodes))


def _asks_the_same(gang: PendingGang, before: PendingGang, resources: tuple[Sequence[str], Sequence[str]]) -> bool:
    return (gang.work, gang.deadline, gang.terms, _roles(gang, resources[1])) == (
        before.work,
        before.deadline,
        before.terms,
        _roles(before, resources[0]),
    )


def _roles(gang: PendingGang, resources: Sequence[str]) -> list[object]:
    """What decides where members fit and how long they run, whatever other resources are counted beside."""
    return [
        (
            role.name,
            role.sizes,
            role.load,
            role.pieces,
            {n: a for n, a in zip(resources, role.request, strict=True) if a},
        )
        for role in gang.roles
    ]


def kept_from(placement: Placement, gang: PendingGang, nodes: Mapping[str, int]) -> Kept | None:
    """Spell a placement by the index of each of its nodes; None where one is not among them."""
    if any(members.node not in nodes for members in placement.members):
        return None
    counts: dict[str, Counter[int]] = {role.name: Counter() for role in gang.roles}
    for members in placement.members:
        counts[members.role][nodes[members.node]] += members.count
    return Kept(
        start=placement.start,
        finish=placement.finish,
        seats=tuple(tuple(Seat(*seat) for seat in sorted(of_role.items())) for of_role in counts.values()),
        latest=None if placement.latest is None else nodes.get(placement.latest),
    )


def _same_nodes(snapshot: Snapshot, before: Snapshot) -> dict[str, int]:
    """Find the nodes that are as fast as they were, by name."""
    if snapshot.nodes is before.nodes or snapshot.nodes.names == before.nodes.names:
        same = np.flatnonzero(snapshot.slowdown == before.slowdown).tolist()
        return {snapshot.nodes.names[node]: node for node in same}
    speeds = dict(zip(before.nodes.names, before.slowdown.tolist(), strict=True))
    now = zip(snapshot.nodes.names, snapshot.slowdown.tolist(), strict=True)
    return {name: node for node, (name, slowdown) in enumerate(now) if speeds.get(name) == slowdown}
