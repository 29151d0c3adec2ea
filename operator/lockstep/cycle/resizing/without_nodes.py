"""Lets a Gang continue without the pods on nodes that it has to leave, if these pods can be named."""

from collections.abc import Collection

from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.cycle.resizing.pod_gang_sizes import PodGangShrink
from lockstep.cycle.resizing.staying_members import finish_with_fewer
from lockstep.facts.elastic import NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.report.text.size_sentences import from_to
from lockstep.snapshot.holders.elastic_pod_gangs import elastic_pod_gang, members_of

LONGEST_CHANGE_SECONDS = 300.0
"""In seconds. Pods that must leave a node wait this long for a change of size, which their owner may never make."""


def shrink_without(
    state: State, gang: GangKey, nodes: Collection[str], failure: Failure, now: float
) -> PodGangShrink | None:
    """The shrink by which a Gang leaves these nodes because of that failure.

    None if its pods can't be named, if one of them has to stay there, or if the Gang may not have so few pods.
    """
    one = elastic_pod_gang(state, gang)
    if one is None or not one.pods.role or any(node in nodes for node in one.fixed):
        return None
    left = [node for node in one.nodes if node not in nodes]
    if len(left) == len(one.nodes) or not one.gang.spec.roles[0].sizes.has(len(left)):
        return None
    members = tuple(members_of(one.gang, (left, one.fixed)))
    following = NextSize(
        members=members,
        # As the status has it, in whole seconds.
        decided_at=float(int(now)),
        expected_finish=finish_with_fewer(state, one.gang, one.held.members, members, now),
        why=f"{from_to(one.held.size, one.held.size - len(one.nodes) + len(left))}: {failure.message}",
    )
    return PodGangShrink(one, following)


def changes_until(state: State, gang: GangFact, now: float) -> float | None:
    """The time until which a Gang may be changing its size, or changing it back.

    None if the Gang changes no size, or if its pods can't be named. Pods that must leave a node wait until that time.
    """
    owner, following = state.pod_gangs.elastic.of(gang.key), gang.status.next_size
    if owner is None or not owner.names_leaving or following is None or gang.status.reserved_at is not None:
        return None
    # The clock may have been set back. Statuses keep whole seconds.
    is_under_way = -1.0 <= now - following.decided_at < LONGEST_CHANGE_SECONDS
    return following.decided_at + LONGEST_CHANGE_SECONDS if is_under_way else None
