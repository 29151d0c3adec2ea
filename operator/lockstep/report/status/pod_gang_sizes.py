"""The next status of a Gang whose number of pods changes while others run. Pure functions.

Only one size counts at each moment. It is the present size until all new pods are on nodes, or all leaving pods are
gone.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

from lockstep.facts.elastic import LastChange, NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.attempt_marks import with_shrink
from lockstep.report.status.conditions import TRUE, with_condition
from lockstep.report.status.pod_gang_marks import mark_pods_placed, on_nodes
from lockstep.report.text.sentences import as_sentence, n_pods


def with_growth(status: GangStatus, gang: GangFact, following: NextSize, now: float) -> GangStatus:
    """The status of an attempt for pods by which the Gang grows. The other pods of the Gang run on."""
    before = gang.status
    size = before.size or 0
    status = replace(
        status,
        next_size=following,
        size=before.size,
        first_size=_first_size(gang),
        resized_at=before.resized_at,
        last_change=before.last_change,
        failed_joins=before.failed_joins,
    )
    says = f"{n_pods(size)} of the Gang are on nodes, and {n_pods(following.size - size)} will join them."
    return with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)


def mark_grown(gang: GangFact, nodes: Iterable[str], *, now: float) -> GangStatus:
    """The status after all new pods are bound. ``nodes`` has the node of each pod."""
    following = gang.status.next_size
    status = mark_pods_placed(gang, nodes, now=now)
    return status if following is None else _changed(status, following, now)


def mark_growth_failed(gang: GangFact, why: str, *, now: float) -> GangStatus:
    """The status after the attempt for the new pods has failed. Their owner must get as many pods as before."""
    status = replace(gang.status, reserved_at=None, members=())
    says = f"{n_pods(gang.status.size or 0)} of the Gang are on nodes. No pod joins them: {why}."
    return with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)


def mark_shrinking(gang: GangFact, following: NextSize, *, now: float) -> GangStatus:
    """The status of a Gang that pods will leave. It is written before their owner gets the smaller number of pods."""
    status, size = replace(gang.status, next_size=following, first_size=_first_size(gang)), gang.status.size or 0
    says = f"{n_pods(size)} of the Gang are on nodes, and {n_pods(size - following.size)} will leave."
    status = with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)
    return with_shrink(status, gang, following.why, now)


def mark_without_room(gang: GangFact, following: NextSize, *, pods: int, now: float) -> GangStatus:
    """The status of a Gang whose owner will get fewer pods, because some of the ``pods`` pods wait in vain.

    It is written before the owner gets the smaller number.
    """
    status = replace(gang.status, next_size=following, size=pods, first_size=_first_size(gang))
    says = (
        f"There is no room for all {n_pods(pods)} of the Gang, so Lockstep gives its owner a size of {following.size}."
    )
    return with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)


def mark_shrunk(gang: GangFact, nodes: Iterable[str], *, now: float, note: str = "") -> GangStatus:
    """The status after the pods have left. ``nodes`` has the node of each pod that stayed.

    ``note`` is a clause that is added to the message.
    """
    following = gang.status.next_size
    assert following is not None, "a Gang that shrinks has a next size"
    return _on_nodes(_changed(gang.status, following, now), gang, nodes, now, note)


def mark_size_kept(gang: GangFact, nodes: Iterable[str], *, now: float, note: str = "") -> GangStatus:
    """The status of a Gang that keeps its number of pods.

    The number may not change for a while, and for longer after each failure.
    """
    failed = gang.status.failed_joins + 1
    status = replace(gang.status, next_size=None, resized_at=now, failed_joins=min(failed, _MOST_FAILURES))
    return _on_nodes(status, gang, nodes, now, note)


# The largest number that the API accepts.
_MOST_FAILURES = 2**31 - 1


def _changed(status: GangStatus, following: NextSize, now: float) -> GangStatus:
    seconds = math.ceil(max(now - following.decided_at, 0.0))
    return replace(
        status,
        next_size=None,
        start=now,
        expected_finish=following.expected_finish,
        resized_at=now,
        last_change=LastChange(following.decided_at, seconds),
        failed_joins=0,
    )


def _on_nodes(status: GangStatus, gang: GangFact, nodes: Iterable[str], now: float, note: str) -> GangStatus:
    status = on_nodes(status, nodes)
    says = f"{n_pods(status.size or 0)} of the Gang are on nodes." + (f" {as_sentence(note)}" if note else "")
    return with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)


def _first_size(gang: GangFact) -> int | None:
    """The size with which the Gang began.

    A Gang that has grown may have to give back room, but only until it has this size again.
    """
    return gang.status.size if gang.status.first_size is None else gang.status.first_size
