"""Clauses with numbers that say why a gang changes its size or keeps it.

Each number of members counts the members of all roles of the gang, as in its status and in ``elastic.size``.
"""

from collections.abc import Mapping
from typing import Literal, assert_never

from coschedule import OwnerReturn, SizeChange, SizeReason, SlowNode
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.keys import seen_from
from lockstep.report.text.sentences import duration, n_members, n_pods
from lockstep.snapshot.holders.resizable import KeepsSize

KEEPS_SIZE: Mapping[KeepsSize, str] = {
    KeepsSize.NO_VARYING_ROLE: "its size changes only if exactly one of its roles has a variable size",
    KeepsSize.CLAIMS_MOVE: "a change would give other ranks to members with volumeClaimTemplates",
    KeepsSize.MINDS_PODS: "other pods decide where its members may be",
    KeepsSize.OWN_COLUMNS: "its members use host ports or disks",
    KeepsSize.NOT_ALL_RUN: "not all of its members run, or it is about to end",
    KeepsSize.MEMBERS_LEAVE: "members that have left it are not gone yet",
    KeepsSize.NOT_ON_KNOWN_NODES: "some members are on nodes that no gang may use, or have other requests",
    KeepsSize.NOT_COMPARABLE: "Lockstep can't compare other sizes for the work that is left",
}
"""Clauses that say why the size of an elastic gang stays the same."""

_ForGang = Literal[SizeReason.WAITING_GANG, SizeReason.URGENT_GANG, SizeReason.FAIR_SHARE]


def size_change(
    change: SizeChange, *, restart_time: float | None = None, lost: float = 0.0, is_asked: bool = False
) -> str:
    """``grows from 4 to 9 members: there is room for 5 more; it ends 31 min sooner; the change takes about 2 min``.

    In ``lost`` seconds of the restart time, the gang repeats work. ``is_asked`` says that the gang's user asked for
    that size.
    """
    why = ", as elastic.size asks" if is_asked else ""
    return f"{from_to(change.size_before, change.size_after)}{why}: {_because(change)}{_takes(restart_time, lost)}"


def as_its_users_see(change: SizeChange) -> SizeChange:
    """The change without the name of a gang of another namespace, for texts to users of the gang that changes."""
    made_for = None if change.made_for is None else seen_from(change.gang.namespace, change.made_for)
    return change._replace(made_for=made_for)


def shrink_without_room(before: int, after: int, waiting: int) -> str:
    """``shrinks from 4 to 3 members: 1 pod waits, and finds no room``."""
    waits = "waits, and finds" if waiting == 1 else "wait, and find"
    return f"{from_to(before, after)}: {n_pods(waiting)} {waits} no room"


def shrink_of_lost(before: int, after: int, why: str, *, ends: tuple[float | None, float | None]) -> str:
    """``shrinks from 4 to 3 members: node n3 is gone; it ends 31 min later``.

    ``ends`` are the expected ends before and after the change; None if unknown.
    """
    end_before, end = ends
    sizes = f"{from_to(before, after)}: {why}"
    return sizes if end_before is None or end is None or end == end_before else f"{sizes}; {_ends(end_before, end)}"


def shrink_for(change: SizeChange, clause: str = "", *, restart_time: float | None = None, lost: float = 0.0) -> str:
    """``shrinks from 8 to 4 members for urgent gang default/hot, of priority 100: it ends 31 min later``.

    ``clause`` names the urgent gang, unless readers know it.
    """
    sizes = from_to(change.size_before, change.size_after)
    return f"{sizes}{clause and f' {clause}'}: {_by_end(change)}{_takes(restart_time, lost)}"


def from_to(was: int, size: int) -> str:
    """``grows from 4 to 9 members``."""
    return f"{'grows' if size > was else 'shrinks'} from {was} to {n_members(size)}"


def _takes(restart_time: float | None, lost: float) -> str:
    if restart_time is None:
        return ""
    loses = f" and loses about {duration(lost)} of work" if lost else ""
    return f"; the change takes about {duration(restart_time - lost)}{loses}"


def _because(change: SizeChange) -> str:
    clause, end = _clause(change), _by_end(change)
    return f"{clause}; {end}" if clause else end


def _clause(change: SizeChange) -> str:  # noqa: PLR0911 - one clause for each reason
    match change.because:
        case SizeReason.ASKED:
            return ""
        case SizeReason.OWNER_RETURNS:
            return _owner_returns(change)
        case SizeReason.SLOW_NODE:
            return _slow_node(change)
        case SizeReason.WAITING_GANG | SizeReason.URGENT_GANG | SizeReason.FAIR_SHARE:
            return _for_gang(change, change.because)
        case SizeReason.OTHER_GANGS:
            return f"other gangs that run gain more from the nodes of {n_members(_difference(change))}"
        case SizeReason.ROOM_FREE:
            return f"there is room for {_difference(change)} more"
        case SizeReason.EARLIER_PLAN:
            return _earlier_plan(change)
        case SizeReason.IDLE_NODES:
            return "nodes are idle and no gang waits for them"
        case SizeReason.MEASURED_SPEEDS:
            return _by_speed(change)
        case _:
            assert_never(change.because)


def _for_gang(change: SizeChange, reason: _ForGang) -> str:
    assert change.made_for is not None, "it gives members up for a gang"
    gang, starts = gang_name(change.made_for), "starts on the nodes that become free"
    match reason:
        case SizeReason.WAITING_GANG:
            return f"{gang} waits, and {starts}"
        case SizeReason.URGENT_GANG:
            return f"{gang} is more urgent, and {starts}"
        case SizeReason.FAIR_SHARE:
            return f"{gang} {starts}, as its group has used less of its share"
        case _:
            assert_never(reason)


def _owner_returns(change: SizeChange) -> str:
    assert isinstance(change.leaves, OwnerReturn), "it leaves the node of an owner"
    node, time, is_forecast = change.leaves
    when = f"is likely to return by {rfc3339(time)}" if is_forecast else f"returns at {rfc3339(time)}"
    return f"the owner of node {node}, which it leaves, {when}"


def _slow_node(change: SizeChange) -> str:
    assert isinstance(change.leaves, SlowNode), "it leaves a slow node"
    node, times, than = change.leaves
    return (
        f"node {node}, which it leaves, is {times:.2f} times as slow as node {than}, its slowest node after the change"
    )


def _earlier_plan(change: SizeChange) -> str:
    """A clause about a gang that shrinks because an earlier plan was wrong. No other gang gets its nodes at once.

    Either the gang itself ends sooner with fewer members, or gangs with promised starts need the nodes later.
    """
    if change.end < change.end_before:
        return (
            f"by the newest estimates, it is faster with {n_members(change.size_after)} than with {change.size_before}"
        )
    return f"by the newest estimates, promised starts need the nodes of {n_members(_difference(change))}"


def _difference(change: SizeChange) -> int:
    """The number of members that join or leave."""
    return abs(change.size_after - change.size_before)


def _by_speed(change: SizeChange) -> str:
    """A clause about the gang's speed after the change, and about other gangs if it gets no faster."""
    speed = 1.0 if change.speed is None else change.speed
    expected = f"by the progress that it reported, it is expected to be {speed:.2f} times as fast as before"
    is_for_others = change.size_after < change.size_before and speed <= 1
    return f"{expected}, and other gangs gain more from the nodes" if is_for_others else expected


def _by_end(change: SizeChange) -> str:
    if change.is_open_ended:
        return "its end is unknown"
    return _ends(change.end_before, change.end)


def _ends(before: float, after: float) -> str:
    return f"it ends {duration(abs(before - after))} {'sooner' if before >= after else 'later'}"


def change_ahead(was: int, following: NextSize) -> str:
    """``will grow from 4 to 9 members at 2026-11-27T12:04:30Z, or as soon as it reports that it is ready``."""
    verb = "grow" if following.size > was else "shrink"
    at = rfc3339(following.asked_to_end_at)
    return f"will {verb} from {was} to {n_members(following.size)} at {at}, or as soon as it reports that it is ready"


def to_join(count: int) -> str:
    """``1 more member will join``, ``2 more members will join``."""
    return "1 more member will join" if count == 1 else f"{count} more members will join"
