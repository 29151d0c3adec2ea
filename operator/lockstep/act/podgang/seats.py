"""Which pod takes which seat of a Gang's reservation, and with which rank."""

import asyncio
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from lockstep.api.pool import Pool
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.podgangs.pod_shapes import role_name
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import Membership, PodKey
from lockstep.facts.reasons import Reason
from lockstep.report.text.sentences import n_pods

# After this number of seats, other tasks of the event loop have a turn.
_SEATS_IN_A_TURN = 500


class KeyedPod(NamedTuple):
    """A waiting pod, and its completion index; -1 if it has none."""

    completion: int
    key: PodKey


class TakenSeat(NamedTuple):
    """A pod with the node, the seat and the rank that it gets."""

    pod: PodKey
    uid: str
    node: str
    seat: Membership
    rank: int


async def take_seats(state: State, gang: AcceptedGang, reservation: Reservation) -> list[TakenSeat] | Failure:
    """The pods for the seats that are still free, in the order of the seats; a failure if pods are missing.

    While no pod is on a node, the reservation must have a seat for each pod that is now needed to begin.
    """
    least = state.pod_gangs.least_to_begin(gang.key)
    if reservation.size < least:
        return _too_small(reservation.size, least)
    group, owner = state.pod_gangs.group(gang.key), state.pod_gangs.owner(gang.key)
    seated = state.counts.seats.bound(reservation)
    waiting = _waiting_by_role(group, owner, state.pool, {entry.role for entry in reservation.members})
    ranks = ranks_of(group, [pod for pods in waiting.values() for pod in pods])
    by_role = {role: iter(pods) for role, pods in waiting.items()}
    free = [member for member in reservation.by_rank() if member.rank not in seated]
    seats = []
    for number, member in enumerate(free, 1):
        pod = next(by_role.get(member.role, iter(())), None)
        if pod is None:
            return _too_few(len(free), sum(map(len, waiting.values())))
        seat = reservation.membership(member.rank)
        seats.append(TakenSeat(pod.key, group.pods[pod.key].uid, member.node, seat, ranks[pod.key]))
        if number % _SEATS_IN_A_TURN == 0:
            await asyncio.sleep(0)
            if any(one not in group.pods for one in ranks):
                return Failure(reason=Reason.POD_LOST, message="some pods of the Gang were gone before they were bound")
    return seats


def _too_small(reserved: int, least: int) -> Failure:
    message = f"nodes are reserved for {n_pods(reserved)}, but the Gang now needs {least} together"
    return Failure(reason=Reason.NO_LONGER_FITS, message=message)


def _too_few(free: int, waiting: int) -> Failure:
    message = f"nodes are reserved for {n_pods(free)}, but only {waiting} wait for a node now"
    return Failure(reason=Reason.POD_LOST, message=message)


def pod_gone(seat: TakenSeat) -> Failure:
    """The failure of a binding whose pod is gone or no longer waits."""
    message = f"pod {seat.pod.name} was gone, or no longer waited, before all pods were bound"
    return Failure(reason=Reason.POD_LOST, message=message)


def ranks_of(group: PodGroup, waiting: Sequence[KeyedPod]) -> Mapping[PodKey, int]:
    """The rank of each waiting pod: its completion index, or the lowest rank that no other pod has.

    All indexes are ignored if two waiting pods have the same index, such as pods of two Jobs. They are also ignored if
    a pod on a node already has one of them as its rank.
    """
    taken = {pod.group.rank for pod in group.going_pods()}
    indexes = [pod.completion for pod in waiting if pod.completion >= 0]
    of_indexes = {*indexes} - taken
    if len(indexes) != len(of_indexes):
        of_indexes = set()
    free = (rank for rank in itertools.count() if rank not in taken and rank not in of_indexes)
    return {
        pod.key: pod.completion if pod.completion in of_indexes else next(free)
        for pod in sorted(waiting, key=lambda pod: pod.key)
    }


def _waiting_by_role(
    group: PodGroup, owner: str | None, pool: Pool, planned: Collection[str]
) -> Mapping[str, list[KeyedPod]]:
    """The waiting pods by role of the plan, in order of index and name.

    A role of the plan follows from two things: the pod's kind, and the role in the pod's labels. If the result is not a
    ``planned`` role, the role of the plan follows from the kind alone.
    """
    found: dict[str, list[KeyedPod]] = {}
    for kind, pods in group.waiting_by_kind(owner):
        of_kind, by_role = role_name(kind, pool), dict[str, str | None]()
        for key, pod in pods.items():
            role = group.pods[key].group.role
            if role not in by_role:
                by_role[role] = role_name(kind, pool, role)
            name = by_role[role] if by_role[role] in planned else of_kind
            if name is not None:
                found.setdefault(name, []).append(KeyedPod(pod.completion_index, key))
    return {name: sorted(pods) for name, pods in found.items()}
