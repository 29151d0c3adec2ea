"""What attempts and the cycle work with."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.act.requests.deletions import Deletions
from lockstep.act.requests.window import AttemptWindow
from lockstep.api.client.client import KubeClient
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.state import State
from lockstep.report.status.writer import StatusWriter
from lockstep.snapshot.snapshots import SnapshotCutter


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What every attempt works with, and the cycle too.

    ``now`` is the time of day in seconds: what is written for people. ``monotonic`` measures how long something takes
    or is to wait; no step of the time of day moves it. ``writer`` writes statuses, ``count_binding`` is told of each
    binding's result, ``count_refused`` of each status of an attempt that the API server does not take. ``lost_nodes``
    knows which nodes are lost, ``cutter`` whether what is reserved would still be planned so. An attempt waits
    ``provision_timeout`` seconds for its volumes, and begins when ``window`` lets it in.
    """

    client: KubeClient
    state: State
    writer: StatusWriter
    deletions: Deletions
    lost_nodes: LostNodes
    cutter: SnapshotCutter
    now: Callable[[], float]
    monotonic: Callable[[], float]
    provision_timeout: float
    window: AttemptWindow
    count_binding: Callable[[str], None]
    count_refused: Callable[[str], None]
