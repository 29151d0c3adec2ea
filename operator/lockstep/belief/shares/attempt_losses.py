"""The time that attempts lost to the cluster, so that their group is not charged for it."""

from collections.abc import Iterable, Mapping

from lockstep.belief.gangs.giving_way import evicted_for
from lockstep.belief.run_times.work_lost import lost_seconds
from lockstep.belief.shares.accounts import AttemptId
from lockstep.belief.shares.held_attempts import HeldAttempt
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reason_meanings import MAYBE_OF_NODE, TAKEN
from lockstep.facts.reasons import Condition, Reason


def lost_since(
    attempt: AttemptId, held: HeldAttempt, gang: GangFact | None, nodes: Mapping[str, NodeFact], now: float
) -> float | None:
    """The time since which the attempt has held nodes in vain; None if the cluster did not take it.

    The cluster took the attempt if the operator ended it for a more urgent gang or for a node owner. The cluster also
    took it if a member was lost, and a node of the attempt is gone or not ready. A member that a user has deleted or
    evicted shows nothing about the cluster.
    """
    if not isinstance(gang, AcceptedGang) or (gang.uid, gang.status.attempt) != attempt:
        return None
    reason = _reason_of_loss(gang.status, held.nodes, nodes)
    return None if reason is None else _saved_until(gang, reason, held.start, now)


def lost_since_by_giving_way(gang: GangFact, reason: Reason, start: float, now: float) -> float | None:
    """The result of ``lost_since`` for an attempt with that start, which ends now to give way for that reason."""
    return _saved_until(gang, reason, start, now) if isinstance(gang, AcceptedGang) and reason in TAKEN else None


def _reason_of_loss(status: GangStatus, members_on: Iterable[str], nodes: Mapping[str, NodeFact]) -> str | None:
    preempted = status.condition(Condition.PREEMPTED)
    if preempted is not None and evicted_for(status) is not None:
        return preempted.reason if preempted.reason in TAKEN else None
    placed, planned = status.condition(Condition.PLACED), status.condition(Condition.PLANNED)
    reasons = {one.reason for one in (placed, planned) if one is not None}
    taken, maybe = reasons & TAKEN, reasons & MAYBE_OF_NODE
    # Nodes are checked last, since an attempt may have thousands.
    if maybe and not taken and any(node not in nodes or not nodes[node].is_ready for node in members_on):
        taken = maybe
    return min(taken, default=None)


def _saved_until(gang: AcceptedGang, reason: str, start: float, now: float) -> float:
    """The time up to which an attempt with that start has saved its work, in seconds since 1970.

    The attempt ended when the gang was not placed any more. An attempt that was never placed has saved nothing, so the
    result is a time before its start. A change of size saves the work before the change.
    """
    status, placed = gang.status, gang.status.condition(Condition.PLACED)
    ended = now if placed is None or status.is_true(Condition.PLACED) else placed.last_transition
    since = start if status.resized_at is None else max(start, status.resized_at)
    return ended - lost_seconds(gang.spec, reason, since, ended)
