"""The domains that a Gang's pods already have, if each of its pods needs its own domain (``onePer``)."""

from collections.abc import Collection

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.keys import gang_of_room
from lockstep.facts.gang.pod_gang import GroupedPod


def nodes_of_its_pods(state: State, gang: AcceptedGang) -> Collection[str]:
    """The nodes of the Gang's pods, whose domains its next pods may not use; none for GangJobs.

    ``gang`` is a Gang, or the room for its later pods. During an attempt of the Gang, the result for the room includes
    the nodes of the attempt. The result for the Gang leaves them out.
    """
    of = gang_of_room(gang.key)
    group, held = state.pod_gangs.group(of or gang.key), state.reservations.get(of or gang.key)
    if held is None:
        return group.nodes
    if of is not None:
        return {*group.nodes, *(entry.node for entry in held.members)}
    return {pod.node for pod in group.going_pods() if not _is_of_attempt(pod, held)}


def _is_of_attempt(pod: GroupedPod, held: Reservation) -> bool:
    seat = pod.group.seat
    return seat is not None and (seat.gang_uid, seat.attempt) == (held.gang_uid, held.attempt)
