"""The objects that attempts and the cycle share."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.act.requests.deletions import Deletions
from lockstep.act.requests.window import AttemptWindow
from lockstep.act.suspending.suspensions import Suspensions
from lockstep.api.client.client import KubeClient
from lockstep.belief.lost_nodes import LostNodes
from lockstep.belief.state import State
from lockstep.report.status.writer import StatusWriter
from lockstep.snapshot.snapshots import SnapshotCutter


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The objects that every attempt and the cycle use.

    ``now`` is the time of day in seconds, for users. ``monotonic`` measures durations, and does not change when the
    clock is set. ``writer`` writes statuses. ``count_binding`` is called with each binding's result. ``count_refused``
    is called for each status of an attempt that the API server refuses. ``count_given_up`` is called with what happens
    to the bound pods of a Gang whose attempt fails, and ``suspensions`` suspends the owners of such pods.
    ``lost_nodes`` knows which nodes are lost. ``cutter`` knows whether a reservation would still be planned. An attempt
    waits ``provision_timeout`` seconds for its volumes, and begins when ``window`` admits it. A Workload of Kueue keeps
    its quota if it starts within ``quota_wait`` seconds.
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
    quota_wait: float
    window: AttemptWindow
    suspensions: Suspensions
    count_binding: Callable[[str], None]
    count_refused: Callable[[str], None]
    count_given_up: Callable[[str], None]
