"""When a gang is interrupted because a node owner has returned and wants the members evicted."""

from lockstep.api.quantities import rfc3339
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.nodes.owners import OwnerBack
from lockstep.belief.state import State
from lockstep.facts.cluster.node import OnReturn
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason


def interrupted(state: State, reservation: Reservation, now: float) -> Failure | None:
    """The reason to interrupt a placed gang now; None if there is none.

    The message names one node with running members: the node whose owner has been back longest.
    """
    due = _due(state, reservation, now)
    # A gang may have thousands of pods, so they are searched only if a node owner is back.
    running = _nodes_that_run(state, reservation) & due.keys() if due else set()
    if not running:
        return None
    since, node = min((due[node], node) for node in running)
    message = f"the owner of node {node} has been back since {rfc3339(since)}"
    return Failure(reason=Reason.OWNER_RETURNED, message=message)


def ranks_of_owners(state: State, reservation: Reservation, now: float) -> set[int]:
    """The ranks of the members that must leave their nodes now, because node owners are back."""
    return reservation.ranks_on(_due(state, reservation, now))


def _due(state: State, reservation: Reservation, now: float) -> dict[str, float]:
    """The nodes that members must leave now, with the time since which each node owner has been back."""
    return {
        entry.node: back.since
        for entry in reservation.members
        if (back := state.owners.back(entry.node)) is not None and _is_over(back, now)
    }


def _is_over(back: OwnerBack, now: float) -> bool:
    return back.on_return is OnReturn.EVICT and back.due <= now


def _nodes_that_run(state: State, reservation: Reservation) -> set[str]:
    return {pod.node for pod in state.pods_of(reservation) if pod.node and not pod.has_ended}
