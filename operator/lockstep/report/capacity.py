"""What of the nodes gangs use, what is promised to them, and what is left: for the gauges."""

from collections import Counter
from collections.abc import Iterable, Mapping

from coschedule import Decision, Placement
from lockstep.belief.state import State
from lockstep.report.shut import why_shut

Members = Mapping[str, int]
"""How many members each node has; 0 where a node is held for an unknown number of them."""


def used_by(state: State) -> Members:
    """The members that are on nodes, or on their way there."""
    used: Counter[str] = Counter()
    for reservation in state.reservations.values():
        for (node, _), count in state.ledger.charged(reservation.gang_uid, reservation.attempt).items():
            used[node] += count
    return used


def promised_by(decisions: Iterable[Decision]) -> Members:
    """The members that are to go to nodes later, and the nodes that are held."""
    promised: Counter[str] = Counter()
    for decision in decisions:
        if isinstance(decision, Placement):
            for entry in decision.members:
                promised[entry.node] += entry.count
        elif decision.hold is not None:
            promised.update(dict.fromkeys(decision.hold.nodes, 0))
    return promised


def count_nodes(state: State, used: Members, promised: Members, now: float) -> Mapping[str, int]:
    """How many nodes are in which state; a node counts once, in the first that applies.

    Nodes outside the pool count as long as members are on them.
    """

    def state_of(node: str) -> str:
        if node in used:
            return "in_use"
        if not _is_open(state, node, now):
            return "closed"
        return "promised" if node in promised else "free"

    return Counter(state_of(name) for name, node in state.nodes.items() if state.pool.has(node.labels) or name in used)


def count_slots(state: State, used: Members, promised: Members, now: float) -> Mapping[str, int]:
    """How many members are on nodes and are promised some, and how many more the bids of open nodes have slots for."""
    free = (_free_slots(state, node, used.get(node, 0) + promised.get(node, 0), now) for node in state.nodes)
    return {"in_use": sum(used.values()), "promised": sum(promised.values()), "free": sum(free)}


def _free_slots(state: State, node: str, taken: int, now: float) -> int:
    bid = state.bids.get(node)
    if bid is None or bid.slots is None or not _is_open(state, node, now):
        return 0
    return max(0, bid.slots - taken)


def _is_open(state: State, node: str, now: float) -> bool:
    """Whether a member could start there now, were there room."""
    fact, bid = state.nodes[node], state.bids.get(node)
    if why_shut(fact, state.pool):
        return False
    if bid is None:
        return True
    return (bid.available_from or 0.0) <= now and (bid.available_until is None or now < bid.available_until)
