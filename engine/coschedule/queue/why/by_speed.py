"""Why a gang has its nodes: the nodes of each speed, and how many of them had room."""

from dataclasses import dataclass

import numpy as np

from coschedule.queue.planner.turn import Turn
from coschedule.queue.problem.decisions import Placement
from coschedule.queue.problem.gangs import Role
from coschedule.queue.why.room_now import lasting_slots


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedGroup:
    """The nodes of one ``slowdown`` that pass the constraints of a role.

    ``with_room`` of these ``passing`` nodes have room for a member from the gang's start to its finish. ``used`` of
    them have members.
    """

    role: str
    slowdown: float
    passing: int
    with_room: int
    used: int


def nodes_by_speed(turn: Turn, placement: Placement) -> tuple[SpeedGroup, ...]:
    """Count for each role the nodes of each speed, the fastest first."""
    return tuple(group for role in turn.gang.roles for group in _groups(turn, role, placement))


def _groups(turn: Turn, role: Role, placement: Placement) -> list[SpeedGroup]:
    passes, slowdown = turn.passes(role), turn.snapshot.slowdown
    has_room = lasting_slots(turn.by_now, role, placement.start, placement.finish) > 0
    used = {members.node for members in placement.members if members.role == role.name}
    is_used = np.array([name in used for name in turn.snapshot.nodes.names], dtype=np.bool_)
    return [
        SpeedGroup(
            role=role.name,
            slowdown=one,
            passing=int((passes & (slowdown == one)).sum()),
            with_room=int((passes & has_room & (slowdown == one)).sum()),
            used=int((is_used & (slowdown == one)).sum()),
        )
        for one in np.unique(slowdown[passes]).tolist()
    ]
