"""Clauses with numbers that say why a gang changes its size or keeps it.

All numbers of members are of the whole gang, whatever roles it has, as in its status and in ``elastic.size``.
"""

from collections.abc import Mapping
from typing import assert_never

from coschedule import SizeChange, SizeReason
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
"""Why the size of an elastic gang is not chosen again, as a clause."""


def size_change(change: SizeChange, *, restart_time: float | None = None, is_asked: bool = False) -> str:
    """``grows from 4 to 9 members: ends 31 min sooner; the change takes about 2 min``.

    ``is_asked`` says that the gang's user asked for that size.
    """
    why = "" if change.size_after > change.size_before else ", so that other gangs end sooner"
    why = ", as elastic.size asks" if is_asked else "" if change.is_open_ended else why
    return f"{from_to(change.size_before, change.size_after)}{why}: {_because(change)}{_takes(restart_time)}"


def as_its_users_see(change: SizeChange) -> SizeChange:
    """The change without the name of a gang of another namespace, for texts to users of the gang that changes."""
    made_for = None if change.made_for is None else seen_from(change.gang.namespace, change.made_for)
    return change._replace(made_for=made_for)


def shrink_without_room(before: int, after: int, waiting: int) -> str:
    """``shrinks from 4 to 3 members: 1 pod waits, and finds no room``."""
    waits = "waits, and finds" if waiting == 1 else "wait, and find"
    return f"{from_to(before, after)}: {n_pods(waiting)} {waits} no room"


def shrink_for(change: SizeChange, clause: str = "", *, restart_time: float | None = None) -> str:
    """``shrinks from 8 to 4 members for urgent gang default/hot, of priority 100: ends 31 min later``.

    ``clause`` names the urgent gang, unless readers know it.
    """
    sizes = from_to(change.size_before, change.size_after)
    return f"{sizes}{clause and f' {clause}'}: {_by_end(change)}{_takes(restart_time)}"


def from_to(was: int, size: int) -> str:
    """``grows from 4 to 9 members``."""
    return f"{'grows' if size > was else 'shrinks'} from {was} to {n_members(size)}"


def _takes(restart_time: float | None) -> str:
    return "" if restart_time is None else f"; the change takes about {duration(restart_time)}"


def _because(change: SizeChange) -> str:
    end = _by_end(change)
    match change.because:
        case SizeReason.KNOWN_ENDS | SizeReason.ASKED:
            return end
        case SizeReason.IDLE_NODES:
            return f"nodes are idle and no gang waits for them; {end}"
        case SizeReason.WAITING_GANG:
            return f"{_made_for(change)} waits, and starts on the nodes that become free; {end}"
        case SizeReason.URGENT_GANG:
            return f"{_made_for(change)} is more urgent, and starts on the nodes that become free; {end}"
        case SizeReason.FAIR_SHARE:
            return (
                f"{_made_for(change)} starts on the nodes that become free, as its group has used less of its share; "
                f"{end}"
            )
        case SizeReason.MEASURED_SPEEDS:
            return f"{_by_speed(change)}; {end}"
        case _:
            assert_never(change.because)


def _made_for(change: SizeChange) -> str:
    assert change.made_for is not None, "it gives members up for a gang"
    return gang_name(change.made_for)


def _by_speed(change: SizeChange) -> str:
    """A clause about the gang's speed after the change, and about other gangs if it gets no faster."""
    speed = 1.0 if change.speed is None else change.speed
    expected = f"by the progress that it reported, it is expected to be {speed:.2f} times as fast"
    is_for_others = change.size_after < change.size_before and speed <= 1
    return f"{expected}, and other gangs gain more from the nodes" if is_for_others else expected


def _by_end(change: SizeChange) -> str:
    if change.is_open_ended:
        return "its end is unknown"
    gain = change.end_before - change.end
    return f"it ends {duration(abs(gain))} {'sooner' if gain >= 0 else 'later'}"


def change_ahead(was: int, following: NextSize) -> str:
    """``will grow from 4 to 9 members at 2026-11-27T12:04:30Z, or as soon as it reports that it is ready``."""
    verb = "grow" if following.size > was else "shrink"
    at = rfc3339(following.asked_to_end_at)
    return f"will {verb} from {was} to {n_members(following.size)} at {at}, or as soon as it reports that it is ready"


def to_join(count: int) -> str:
    """``1 more member will join``, ``2 more members will join``."""
    return "1 more member will join" if count == 1 else f"{count} more members will join"
