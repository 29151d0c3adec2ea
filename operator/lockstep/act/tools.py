"""What attempts work with."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.act.undo import Deletions
from lockstep.api.client import KubeClient
from lockstep.belief.reach import Reach
from lockstep.belief.snapshots import SnapshotCutter
from lockstep.belief.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What every attempt works with.

    ``now`` is the time of day in seconds: what is written for people. ``monotonic`` measures how long something takes
    or is to wait; no step of the time of day moves it. ``count_binding`` is told of each binding's result,
    ``count_refused`` of each status that the API server does not take. ``reach`` knows which nodes are lost, ``cutter``
    whether what is reserved would still be planned so.
    """

    client: KubeClient
    state: State
    deletions: Deletions
    reach: Reach
    cutter: SnapshotCutter
    now: Callable[[], float]
    monotonic: Callable[[], float]
    count_binding: Callable[[str], None]
    count_refused: Callable[[str], None]
