"""Running Gangs in the engine's form, and which of them may give way to urgent gangs.

A Gang gives way as a whole: the owner of its pods is suspended, and all pods begin anew. So the work of all of its pods
is lost, and their room becomes free.
"""

import math
from collections.abc import Iterator, Mapping

from coschedule import AMOUNT_LIMIT, GangKey, Holding, RunningGang
from lockstep.belief.podgangs.held_by_pods import HeldByPods
from lockstep.belief.state import State
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.pods.pod import MOST_GRACE_SECONDS, Request
from lockstep.snapshot.holders.pod_gang_releases import pod_gang_end
from lockstep.snapshot.nodes.resource_columns import Columns


def placed_pod_gangs(state: State) -> Iterator[PodGang]:
    """The Gangs that have pods on nodes, and no attempt or change of size under way."""
    return (gang for gang in state.pod_gangs.objects.values() if _is_placed(state, gang))


def elastic_without_end(state: State, now: float) -> list[GangKey]:
    """The Gangs that have no known end and no attempt under way, and whose number of pods may change."""
    found = ((key, state.pod_gangs.objects.get(key)) for key in sorted(state.pod_gangs.elastic.gangs()))
    return [key for key, gang in found if gang and _is_placed(state, gang) and pod_gang_end(gang.status, now) is None]


def yielding_pod_gangs(state: State) -> Iterator[PodGang]:
    """The Gangs that may give way."""
    return (gang for gang in state.pod_gangs.objects.values() if may_yield(state, gang))


def may_yield(state: State, gang: PodGang) -> bool:
    """Whether a Gang may give way.

    It may if all of its pods belong to the owner that would be suspended, and end within ``MOST_GRACE_SECONDS``. It
    must have no attempt, because the reservation would not become free. Its size must not be changing, because a Gang
    that shrinks may already be giving way.
    """
    if gang.is_deleting or not (state.pod_gangs.yielding.can(gang) and _is_placed(state, gang)):
        return False
    group = state.pod_gangs.group(gang.key)
    is_of_owner = group.going_of(gang.made_for or "") == group.going
    return is_of_owner and group.held.grace_seconds <= MOST_GRACE_SECONDS


def _is_placed(state: State, gang: PodGang) -> bool:
    status = gang.status
    is_changing = status.reserved_at is not None or status.next_size is not None or gang.key in state.reservations
    return state.pod_gangs.group(gang.key).going > 0 and not is_changing


def priority_of(state: State, gang: PodGang) -> int:
    """The highest priority of a Gang's pods, including waiting pods, so that it never gives way to itself."""
    group, known = state.pod_gangs.group(gang.key), state.gangs.get(gang.key)
    waiting = state.priorities.of(known) if known is not None and group.waiting else None
    return group.held.priority if waiting is None else max(group.held.priority, waiting)


def run_of(state: State, gang: PodGang, index: Mapping[str, int], columns: Columns, now: float) -> RunningGang:
    """A Gang as a running gang: an eviction would lose the run time of all of its pods."""
    group, end = state.pod_gangs.group(gang.key), pod_gang_end(gang.status, now)
    since = group.held.running_since(now)
    return RunningGang(
        key=gang.key,
        priority=priority_of(state, gang),
        queued_since=gang.created,
        size=group.going,
        since=math.inf if since is None else since,
        end=math.inf if end is None else end,
        grace=float(group.held.grace_seconds),
        holds=_holdings(group.held, index, columns),
    )


def _holdings(held: HeldByPods, index: Mapping[str, int], columns: Columns) -> tuple[Holding, ...]:
    by_node: dict[int, list[tuple[Request, int]]] = {}
    for (node, request), count in held.taken.items():
        if node in index:
            by_node.setdefault(index[node], []).append((request, count))
    return tuple(Holding(node, columns.held(requests, AMOUNT_LIMIT)) for node, requests in by_node.items())
