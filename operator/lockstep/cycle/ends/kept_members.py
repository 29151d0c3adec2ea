"""Which pods of a finished gang stay for their logs, and how long they stay."""

from collections.abc import Iterable
from typing import NamedTuple

from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.reasons import Condition
from lockstep.snapshot.holders.endings import longest_grace

# The time that a kubelet may need in addition to the grace period. A pod that still runs then is on a node that does
# not respond.
_PATIENCE_SECONDS = 60.0


class Remains(NamedTuple):
    """The pods to stop and keep, and those to delete."""

    stopped: list[PodFact]
    deleted: list[PodFact]


def remains(gang: GangFact, pods: Iterable[PodFact], now: float) -> Remains:
    """Which pods of a finished gang to stop or to delete. A pod in neither list stays as it is.

    Members of a failed gang that are bound to nodes are stopped, and their pods stay. Other running pods are deleted,
    and so are members that their nodes do not stop in time. After the keep time all pods are deleted.
    """
    if _is_past(kept_until(gang), now):
        return Remains([], list(pods))
    running = [pod for pod in pods if not pod.has_ended]
    may_stay = _is_kept(gang) and not _is_past(stopped_by(gang), now)
    stopped = [pod for pod in running if may_stay and pod.node]
    return Remains(
        stopped=[pod for pod in stopped if not (pod.is_stopping or pod.is_deleting)],
        deleted=[pod for pod in running if not (may_stay and pod.node)],
    )


def stopped_by(gang: GangFact) -> float | None:
    """The time of day by which members of a failed gang have stopped, if their nodes respond; None for other gangs."""
    ended = gang.status.finished_at
    return None if ended is None or not _is_kept(gang) else ended + longest_grace(gang) + _PATIENCE_SECONDS


def kept_until(gang: GangFact) -> float | None:
    """The time of day at which the pods of a failed gang are deleted; None if they stay, and for other gangs."""
    ended, keep = gang.status.finished_at, gang.policies.failure.keep_seconds
    return None if ended is None or keep is None or not _is_kept(gang) else ended + keep


def _is_kept(gang: GangFact) -> bool:
    return gang.status.is_true(Condition.FAILED) and not gang.is_deleting


def _is_past(time: float | None, now: float) -> bool:
    return time is not None and time <= now
