"""The operator's plan for agents' bids, computed from the cache for the statuses of bids and for gauges."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from lockstep.api.names import AGENT_LABEL, AGENT_OFF
from lockstep.api.quantities import CPU, rfc3339
from lockstep.api.times import as_formatted
from lockstep.belief.common.steps import Steps, at_once
from lockstep.belief.pods.pod_effects import takes_room
from lockstep.belief.state import State
from lockstep.facts.cluster.bid_plan import BidPlan, BidState
from lockstep.facts.cluster.node import MOST_NODES_COUNTED, BidFact
from lockstep.report.text.unschedulable import why_unschedulable

_MOST_UIDS = 1000
# In thousandths of a core. Requests of other pods change often, and small changes do not matter.
_STEP = 100
# The largest value that a status may have. The bounds of bids are narrower.
_LARGEST = 2**31 - 1
_LONGEST_MESSAGE = 1000


@dataclass(slots=True)
class Guests:
    """The pods on a node: the UIDs of members, and the thousandths of a core that all other pods request."""

    members: list[str] = field(default_factory=list)
    others_request: int = 0


def guests_of(state: State) -> Mapping[str, Guests]:
    """The pods on the nodes whose bids agents write, by node."""
    return at_once(finding_guests(state))


def finding_guests(state: State) -> Generator[None, None, Mapping[str, Guests]]:
    """The same result as ``guests_of``, read in steps of many pods. The cache may change between steps."""
    found = {bid.node: Guests() for bid in state.bids.values() if bid.report is not None}
    steps = Steps()
    for pod in list(state.pods.values()) if found else ():
        if steps.are_due(1):
            yield
        guests = found.get(pod.node)
        if guests is None or not takes_room(pod):
            continue
        if pod.member is not None:
            guests.members.append(pod.uid)
        else:
            guests.others_request += dict(pod.request).get(CPU, 0)
    return found


def plan_of_bid(state: State, bid: BidFact, guests: Guests, now: float) -> BidPlan:
    """The present plan of the operator for the bid."""
    bid_state, message = state_of_bid(state, bid, now)
    return BidPlan(
        state=bid_state,
        slowdown=min(round(1000 * bid.slowdown), _LARGEST),
        until=as_formatted(bid.available_until),
        members=len(guests.members),
        member_uids=frozenset(sorted(guests.members)[:_MOST_UIDS]),
        others_request=min(_STEP * round(guests.others_request / _STEP), _LARGEST),
        message=message,
    )


def state_of_bid(state: State, bid: BidFact, now: float) -> tuple[BidState, str]:
    """The state of the bid's node, and a sentence about it. The state says whether members may start there."""
    found, message = _unless_expired(state, bid, now)
    if not bid.has_expired(now):
        return found, message
    node = state.nodes.get(bid.node)
    off = node is not None and node.labels.get(AGENT_LABEL) == AGENT_OFF
    why = f"The node is labelled {AGENT_LABEL}={AGENT_OFF}, so no agent measures it. " if off else ""
    return BidState.EXPIRED, f"{why}The bid was not renewed in time, so its measurements no longer count. {message}"


def _unless_expired(state: State, bid: BidFact, now: float) -> tuple[BidState, str]:
    why_closed = why_unschedulable(state.nodes.get(bid.node), state.pool)
    if why_closed:
        return BidState.CLOSED, f"No member can start: the node is {why_closed}."
    if bid.problem is not None:
        return BidState.CLOSED, f"No member can start: the bid can't be understood: {bid.problem}."[:_LONGEST_MESSAGE]
    return _by_owner(state, bid, now)


def _by_owner(state: State, bid: BidFact, now: float) -> tuple[BidState, str]:
    """The state and the sentence for a valid bid of an open node.

    Only the node owner or the offered hours can prevent a start there.
    """
    if bid.available_until is not None and bid.available_until <= now:
        return BidState.CLOSED, f"No member can start: the owner took the node back at {rfc3339(bid.available_until)}."
    if bid.owner_present:
        return BidState.CLOSED, "No member can start: the owner is at the node."
    opens = state.owners.opens_at(bid.node)
    if opens > now:
        return BidState.LATER, f"Members may start from {rfc3339(opens)} on. {_how_fast(bid)}"
    return BidState.OFFERED, f"Members may start. {_how_fast(bid)}"


def _how_fast(bid: BidFact) -> str:
    until = "" if bid.available_until is None else f" The node is offered until {rfc3339(bid.available_until)}."
    return f"They take {bid.slowdown:.2f} times as long as on an idle reference node.{_shared(bid)}{until}"


def _shared(bid: BidFact) -> str:
    """A sentence about the origin of a capacity that the bid does not state; '' if the bid states it."""
    if bid.shared is None:
        return ""
    capacity, nodes = bid.shared
    how_many = {1: "a node", MOST_NODES_COUNTED: f"{nodes} nodes or more"}.get(nodes, f"{nodes} nodes")
    return f" The capacity {capacity:.2f} was measured on {how_many} with the same processor and instance type."
