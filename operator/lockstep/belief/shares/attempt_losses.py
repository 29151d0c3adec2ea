"""Which attempts were lost to the cluster, so that their group is not charged for them."""

import math
from collections.abc import Iterable, Mapping

from lockstep.belief.gangs.giving_way import evicted_for
from lockstep.belief.shares.accounts import AttemptId
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.reason_meanings import MAYBE_OF_NODE, TAKEN
from lockstep.facts.reasons import Condition, Reason


def is_lost_to_cluster(
    attempt: AttemptId, members_on: Iterable[str], gang: GangFact | None, nodes: Mapping[str, NodeFact]
) -> bool:
    """Whether an attempt of the gang with members on these nodes was lost, and its work with it.

    It was if the operator ended it for a more urgent gang or for a node owner. It was too if a member was lost, and a
    node of the attempt is gone or not ready. A member that a user has deleted or evicted shows nothing about the
    cluster. A gang that saves its work goes on with it, so its attempt was not in vain.
    """
    if gang is None or (gang.uid, gang.status.attempt) != attempt or not _would_lose_work(gang):
        return False
    preempted = gang.status.condition(Condition.PREEMPTED)
    if preempted is not None and evicted_for(gang.status) is not None:
        return preempted.reason in TAKEN
    placed, planned = gang.status.condition(Condition.PLACED), gang.status.condition(Condition.PLANNED)
    reasons = {one.reason for one in (placed, planned) if one is not None}
    if not reasons.isdisjoint(TAKEN):
        return True
    return not reasons.isdisjoint(MAYBE_OF_NODE) and any(
        node not in nodes or not nodes[node].is_ready for node in members_on
    )


def is_lost_by_giving_way(gang: GangFact, reason: Reason) -> bool:
    """Whether an attempt of the gang that ends for that reason, to give way to another gang, is lost."""
    return reason in TAKEN and _would_lose_work(gang)


def _would_lose_work(gang: GangFact) -> bool:
    if not isinstance(gang, AcceptedGang):
        return False
    return gang.spec.elastic is None and gang.spec.checkpoint_interval == math.inf
