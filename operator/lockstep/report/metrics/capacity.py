"""What gangs use of the nodes, what is promised to them, and what is left."""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field

from coschedule import Decision, Placement
from lockstep.belief.state import State
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.report.text.unschedulable import why_unschedulable

_CPU = "cpu"


@dataclass(frozen=True, slots=True)
class CapacityByState:
    """Counts by state.

    A node counts once, in the first state that applies: in use, closed, promised, free. Nodes outside the pool count
    while members are on them. Slots are members on nodes, members promised to nodes, and what bids of open nodes allow
    beside these. Cores, in thousandths, are those of the pool's nodes: requested by members, promised, requested by
    others, and the rest. The rest is free where a member could start now, else closed. Speeds are those of the idle
    nodes of the pool, by their bids.
    """

    nodes: Counter[str] = field(default_factory=Counter)
    slots: Counter[str] = field(default_factory=Counter)
    millicores: Counter[str] = field(default_factory=Counter)
    speeds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _MemberLoads:
    """The number of members by node, and the thousandths of its cores that they request.

    A node hold has an entry of 0 members, since their number is unknown.
    """

    count: Counter[str] = field(default_factory=Counter)
    millicores: Counter[str] = field(default_factory=Counter)


def counting(
    state: State, waiting: Sequence[Decision], now: float, counted: CapacityByState
) -> Generator[None, None, None]:
    """Count gangs and nodes in steps, between which the cache may change.

    ``waiting`` are decisions on waiting gangs.
    """
    used = yield from _used(state)
    promised = yield from _promised(state, waiting)
    counted.slots.update(in_use=used.count.total(), promised=promised.count.total())
    names, ledger = tuple(state.nodes), state.ledger
    committed = ledger.committed(ledger.rows(names), ledger.columns((_CPU,)))[:, 0].tolist()
    nodes = dict(state.nodes)
    for name, taken in zip(names, committed, strict=True):
        yield
        _count_node(state, nodes[name], now, _TakenOfNode(taken, used, promised), counted)


@dataclass(frozen=True, slots=True)
class _TakenOfNode:
    """What is taken of one node by all pods, in thousandths of cores; and the members of all nodes."""

    committed: int
    used: _MemberLoads
    promised: _MemberLoads


def _count_node(state: State, node: NodeFact, now: float, taken: _TakenOfNode, counted: CapacityByState) -> None:
    name, is_open = node.name, _is_open(state, node, now)
    used, promised = taken.used, taken.promised
    is_used, is_of_pool = name in used.count, state.pool.has(node.labels)
    if is_used or is_of_pool:
        counted.nodes[_state_of(is_used=is_used, is_open=is_open, is_promised=name in promised.count)] += 1
    if is_open:
        counted.slots["free"] += _free_slots(state, name, used.count[name] + promised.count[name])
    if is_of_pool:
        bid = state.bids.get(name)
        counted.speeds.append(1.0 if bid is None else bid.capacity)
        left = max(0, dict(node.allocatable).get(_CPU, 0) - taken.committed)
        is_promised = min(left, promised.millicores[name])
        counted.millicores["in_use"] += used.millicores[name]
        counted.millicores["others"] += max(0, taken.committed - used.millicores[name])
        counted.millicores["promised"] += is_promised
        counted.millicores["free" if is_open else "closed"] += left - is_promised


def _state_of(*, is_used: bool, is_open: bool, is_promised: bool) -> str:
    if is_used:
        return "in_use"
    if not is_open:
        return "closed"
    return "promised" if is_promised else "free"


def _used(state: State) -> Generator[None, None, _MemberLoads]:
    """The members that are on nodes, or about to be."""
    used = _MemberLoads()
    for reservation in list(state.reservations.values()):
        yield
        for (node, request), count in state.ledger.charged(reservation.gang_uid, reservation.attempt).items():
            used.count[node] += count
            used.millicores[node] += count * dict(request).get(_CPU, 0)
    return used


def _promised(state: State, decisions: Iterable[Decision]) -> Generator[None, None, _MemberLoads]:
    """The members planned for later, and the nodes with node holds."""
    promised = _MemberLoads()
    for decision in decisions:
        yield
        if isinstance(decision, Placement):
            _promise(state, decision, promised)
        elif decision.hold is not None:
            promised.count.update(dict.fromkeys(decision.hold.nodes, 0))
    return promised


def _promise(state: State, placement: Placement, promised: _MemberLoads) -> None:
    gang = state.gangs.get(placement.gang)
    roles = gang.spec.roles if isinstance(gang, AcceptedGang) else ()
    each = {role.name: dict(role.request).get(_CPU, 0) for role in roles}
    for entry in placement.members:
        promised.count[entry.node] += entry.count
        promised.millicores[entry.node] += entry.count * each.get(entry.role, 0)


def _free_slots(state: State, node: str, taken: int) -> int:
    bid = state.bids.get(node)
    return 0 if bid is None or bid.slots is None else max(0, bid.slots - taken)


def _is_open(state: State, node: NodeFact, now: float) -> bool:
    """Whether a member could start there now if there were room."""
    if why_unschedulable(node, state.pool):
        return False
    bid = state.bids.get(node.name)
    if bid is None:
        return True
    return (bid.available_from or 0.0) <= now and (bid.available_until is None or now < bid.available_until)
