"""Room for later pods of Gangs, while other pods of these Gangs run.

A launcher starts when its workers run, and workers start when their leader runs. Suppose that two Gangs run their first
steps, and each has the room that the other Gang needs next: then both wait for ever. So the next steps are planned as
gangs that never start: no other gang gets their room.
"""

import math
from dataclasses import replace

from lockstep.belief.gangs.age import ROOM_KEPT_SECONDS
from lockstep.belief.podgangs.bound_domain import in_bound_domain
from lockstep.belief.podgangs.own_pods import OwnPods
from lockstep.belief.podgangs.specs.later_pods import room_spec
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal
from lockstep.facts.gang.keys import room_key
from lockstep.facts.gang.pod_gang import PodGang, PodGangSpec
from lockstep.facts.gang.status import GangStatus


def room_for_later(state: State, gang: GangFact, now: float) -> AcceptedGang | None:
    """The gang to plan so that later pods of a Gang find room; None if no room is kept for later pods.

    It is planned before all waiting gangs of the same priority, as if its pods already held the room.
    """
    known = state.pod_gangs.objects.get(gang.key)
    if known is None or isinstance(known.asks, Refusal) or not _is_kept(state, known, known.asks, now):
        return None
    spec = room_spec(known.asks, _pods_with_room(state, known), state.pool)
    if spec is None:
        return None
    priority_class = _lowest_class(state, known.asks)
    spec = replace(spec, priority_class=priority_class, most_priority=_own_priority(state, gang))
    identity = {**known.identity(), "key": room_key(gang.key), "uid": f"{known.uid}/later-pods"}
    room = in_bound_domain(
        AcceptedGang(**identity, status=GangStatus(), spec=spec), state.pod_gangs.group(gang.key), state.nodes
    )
    return room if state.refusal_of(room) is None else None


def with_still_age(room: AcceptedGang) -> AcceptedGang:
    """The room with an age that does not grow, for room that does not fit by the last plan."""
    return replace(room, status=replace(room.status, waited_seconds=0))


def kept_until(state: State, gang: GangFact | PodGang) -> float:
    """The time until which room is kept for later pods of a Gang; -infinity if the Gang has not begun."""
    held = state.reservations.get(gang.key)
    is_first = held is not None and not state.pod_gangs.group(gang.key).going
    begun = held.start if held is not None and is_first else gang.status.active_since
    return -math.inf if begun is None else begun + ROOM_KEPT_SECONDS


def _lowest_class(state: State, asks: PodGangSpec) -> str:
    """The class of the least urgent later pods.

    An unknown class counts as the least urgent, since the API server refuses pods of such a class.
    """
    values = {one.priority_class: state.priorities.value_of(one.priority_class) for one in asks.later}
    return min(values, key=lambda name: (values[name] is not None, values[name] or 0, name))


def _own_priority(state: State, gang: GangFact) -> int | None:
    """The priority of the pods that run or are being bound; without such pods, the priority of the Gang.

    The class of pods that do not exist yet does not count, because no admission has checked it.
    """
    group = state.pod_gangs.group(gang.key)
    return group.held.priority if group.going else state.priorities.of(gang)


def _is_kept(state: State, gang: PodGang, asks: PodGangSpec, now: float) -> bool:
    if not asks.later or gang.is_deleting:
        return False
    is_begun = gang.key in state.reservations or state.pod_gangs.group(gang.key).going > 0
    return is_begun and now < kept_until(state, gang)


def _pods_with_room(state: State, gang: PodGang) -> OwnPods:
    """The Gang's pods that need no kept room: they are on nodes or are planned themselves.

    During an attempt, waiting pods without a seat in it are left out.
    """
    pods, held = state.pod_gangs.group(gang.key).own(gang.made_for, 0), state.reservations.get(gang.key)
    return pods if held is None else pods._replace(waiting=held.size - len(state.counts.seats.bound(held)))
