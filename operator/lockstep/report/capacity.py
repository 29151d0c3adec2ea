"""What of the nodes gangs use, what is promised to them, and what is left: for the gauges."""

from collections import Counter
from collections.abc import Iterable, Mapping

from coschedule import Decision, Placement
from lockstep.belief.state import State
from lockstep.report.shut import why_shut

_CPU = "cpu"
_THOUSAND = 1000

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


def count_cores(state: State, waiting: Iterable[Decision], now: float) -> Mapping[str, float]:
    """How many cores of the pool's nodes are requested by members, promised, requested by others, and left.

    What is left counts as free where a member could start now, else as closed.
    """
    pool = [name for name, node in state.nodes.items() if state.pool.has(node.labels)]
    ledger = state.ledger
    committed = ledger.committed(ledger.rows(tuple(pool)), ledger.columns((_CPU,)))[:, 0].tolist()
    used, promised = _cores_used(state), _cores_promised(state, waiting)
    cores: Counter[str] = Counter()
    for node, taken in zip(pool, committed, strict=True):
        left = max(0, dict(state.nodes[node].allocatable).get(_CPU, 0) - taken)
        is_promised = min(left, promised[node])
        cores["in_use"] += used[node]
        cores["others"] += max(0, taken - used[node])
        cores["promised"] += is_promised
        cores["free" if _is_open(state, node, now) else "closed"] += left - is_promised
    return {name: thousandths / _THOUSAND for name, thousandths in cores.items()}


def _cores_used(state: State) -> Counter[str]:
    """Thousandths of cores that members request, by node."""
    used: Counter[str] = Counter()
    for reservation in state.reservations.values():
        for (node, request), count in state.ledger.charged(reservation.gang_uid, reservation.attempt).items():
            used[node] += count * dict(request).get(_CPU, 0)
    return used


def _cores_promised(state: State, decisions: Iterable[Decision]) -> Counter[str]:
    """Thousandths of cores that members will request that are to go to nodes later, by node."""
    promised: Counter[str] = Counter()
    for decision in decisions:
        gang = state.gangs.get(decision.gang)
        if gang is None or gang.spec is None or not isinstance(decision, Placement):
            continue
        each = {role.name: dict(role.request).get(_CPU, 0) for role in gang.spec.roles}
        for entry in decision.members:
            promised[entry.node] += entry.count * each.get(entry.role, 0)
    return promised


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
