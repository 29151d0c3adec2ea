"""Which pod takes which seat of a Gang's reservation, and with which rank."""

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.podgangs.composing import role_of
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.pod_gang import WaitingPod
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import Membership, PodKey
from lockstep.facts.reasons import Reason
from lockstep.report.text.sentences import n_pods

Waiting = Mapping[PodKey, WaitingPod]


class TakenSeat(NamedTuple):
    """A pod, and the node, the seat and the rank that it gets."""

    pod: PodKey
    uid: str
    node: str
    seat: Membership
    rank: int


def take_seats(state: State, gang: AcceptedGang, reservation: Reservation) -> list[TakenSeat] | Failure:
    """The pods for the seats that are still free, in the order of the seats; a failure where pods are missing."""
    seated, waiting = state.seated(reservation), state.pod_gangs.waiting(gang.key)
    free = [member for member in reservation.by_rank() if member.rank not in seated]
    by_role, ranks = _by_role(state, gang, waiting), ranks_of(state.pod_gangs.group(gang.key), waiting)
    seats = []
    for member in free:
        key = next(by_role[member.role], None)
        if key is None:
            message = f"{n_pods(len(free))} of it have nodes, and only {len(waiting)} of them wait for one now"
            return Failure(reason=Reason.POD_LOST, message=message)
        seat = reservation.membership(member.rank)
        seats.append(TakenSeat(key, state.pods[key].uid, member.node, seat, ranks[key]))
    return seats


def pod_gone(seat: TakenSeat) -> Failure:
    """The pod of a seat can't be bound any more."""
    message = f"pod {seat.pod.name} is gone, or waits no longer, before all pods were bound"
    return Failure(reason=Reason.POD_LOST, message=message)


def ranks_of(group: PodGroup, waiting: Waiting) -> Mapping[PodKey, int]:
    """The rank of each pod that waits: its completion index, or the lowest that no other pod has.

    Indexes do not count where two pods have the same, as those of two Jobs.
    """
    taken = {pod.group.rank for pod in group.going_pods()}
    indexes = [pod.completion_index for pod in waiting.values() if pod.completion_index >= 0]
    of_indexes = {*indexes} - taken
    if len(indexes) != len(of_indexes):
        of_indexes = set()
    free = (rank for rank in itertools.count() if rank not in taken and rank not in of_indexes)
    by_index = {key: pod.completion_index for key, pod in waiting.items() if pod.completion_index in of_indexes}
    return {key: by_index[key] if key in by_index else next(free) for key in sorted(waiting)}


def _by_role(state: State, gang: AcceptedGang, waiting: Waiting) -> Mapping[str, Iterator[PodKey]]:
    """The pods that wait, by the role that was planned for their needs."""
    roles = gang.spec.roles
    # Pods with equal needs are many.
    role = {needs: role_of(needs, roles, state.pool) for needs in {pod.needs for pod in waiting.values()}}
    keys: dict[str | None, list[PodKey]] = {}
    for key, pod in waiting.items():
        keys.setdefault(role[pod.needs], []).append(key)
    return {one.name: iter(keys.get(one.name, ())) for one in roles}
