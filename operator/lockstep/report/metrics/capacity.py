"""Counts how much of the nodes gangs use, how much is promised to gangs, and how much is left."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from coschedule import Decision, GangKey, Placement
from lockstep.belief.records.stretches import GPU, gpus_in
from lockstep.belief.state import State
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.pods.pod import Request
from lockstep.report.text.unschedulable import why_closed

_CPU, _MEMORY = "cpu", "memory"


class CapacityKind(StrEnum):
    """The resources of a node that are counted. Their units are thousandths of a core, GPUs, and bytes of memory."""

    MILLICORES = "millicores"
    GPUS = "gpus"
    MEMORY = "memory"


CapacityAmounts = Mapping[CapacityKind, int]


@dataclass(frozen=True, slots=True)
class CapacityByState:
    """The counts of nodes, slots and amounts by state.

    ``nodes``: each node counts once, in the first state that applies: in_use, closed, promised, free. A node outside
    the pool counts only while members are on it. ``slots``: in_use counts members on nodes, and promised counts members
    that are planned for later. The free slots are the further members that the bids of open nodes allow.

    ``amounts`` has the resources of the pool's nodes: what members request (in_use), what is promised, what other pods
    request (others), and the rest. The rest is free if a member could start on the node now; otherwise it is closed.
    ``speeds`` has the speed of each node of the pool while the node is idle: the capacity in its bid, or 1 without a
    bid.
    """

    nodes: Counter[str] = field(default_factory=Counter)
    slots: Counter[str] = field(default_factory=Counter)
    amounts: Mapping[CapacityKind, Counter[str]] = field(
        default_factory=lambda: {one: Counter() for one in CapacityKind}
    )
    speeds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _MemberLoads:
    """The number of members by node, and the amounts that these members request.

    Each node of a node hold has an entry of 0 members, because the number of members is unknown.
    """

    count: Counter[str] = field(default_factory=Counter)
    amounts: Counter[tuple[str, CapacityKind]] = field(default_factory=Counter)

    def add(self, node: str, count: int, each: CapacityAmounts) -> None:
        """Add ``count`` members on the node. Each of them requests the amounts ``each``."""
        self.count[node] += count
        for amount, requested in each.items():
            self.amounts[node, amount] += count * requested


def counting(
    state: State, waiting: Sequence[Decision], now: float, counted: CapacityByState
) -> Generator[None, None, None]:
    """Add the members and nodes of the cache to ``counted``. The cache may change between the steps.

    ``waiting`` has the decisions about waiting gangs.
    """
    used = yield from _used(state)
    promised = yield from _promised(state, waiting)
    counted.slots.update(in_use=used.count.total(), promised=promised.count.total())
    resources = (_CPU, _MEMORY, *(yield from _gpu_resources(state)))
    yield from state.ledger.opening_columns(resources)
    names, ledger = tuple(state.nodes), state.ledger
    committed = ledger.committed(ledger.rows(names), ledger.columns(resources)).tolist()
    nodes = dict(state.nodes)
    for name, sums in zip(names, committed, strict=True):
        yield
        taken = amounts_in(dict(zip(resources, sums, strict=True)))
        _count_node(state, nodes[name], now, _TakenOfNode(taken, used, promised), counted)


def members_by_gang(state: State) -> Iterator[tuple[GangKey, Mapping[tuple[str, Request], int]]]:
    """For each gang, the number of members that are on nodes or will be soon, by node and request.

    A Gang comes twice: with its seats that no pod has yet, and with its pods. The cache may change between two gangs.
    """
    for reservation in list(state.reservations.values()):
        yield reservation.gang, state.ledger.charged(reservation.gang, reservation.gang_uid, reservation.attempt)
    for key in list(state.gangs):
        if is_pod_gang(key):
            yield key, state.pod_gangs.group(key).held.taken


def amounts_in(resources: Mapping[str, int]) -> CapacityAmounts:
    """The amounts of the counted kinds in these resources."""
    return {
        CapacityKind.MILLICORES: resources.get(_CPU, 0),
        CapacityKind.GPUS: gpus_in(resources),
        CapacityKind.MEMORY: resources.get(_MEMORY, 0),
    }


def _gpu_resources(state: State) -> Generator[None, None, list[str]]:
    """The sorted names of all resources of nodes that are GPUs."""
    found = set[str]()
    for node in list(state.nodes.values()):
        yield
        found.update(resource for resource, _ in node.allocatable if GPU.fullmatch(resource))
    return sorted(found)


@dataclass(frozen=True, slots=True)
class _TakenOfNode:
    """``committed`` has what all pods on one node request. ``used`` and ``promised`` are about all nodes."""

    committed: CapacityAmounts
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
        _count_amounts(node, taken, counted, rest="free" if is_open else "closed")


def _count_amounts(node: NodeFact, taken: _TakenOfNode, counted: CapacityByState, *, rest: str) -> None:
    for amount, allocatable in amounts_in(dict(node.allocatable)).items():
        by_state, committed = counted.amounts[amount], taken.committed[amount]
        used, left = taken.used.amounts[node.name, amount], max(0, allocatable - committed)
        promised = min(left, taken.promised.amounts[node.name, amount])
        by_state["in_use"] += used
        by_state["others"] += max(0, committed - used)
        by_state["promised"] += promised
        by_state[rest] += left - promised


def _state_of(*, is_used: bool, is_open: bool, is_promised: bool) -> str:
    if is_used:
        return "in_use"
    if not is_open:
        return "closed"
    return "promised" if is_promised else "free"


def _used(state: State) -> Generator[None, None, _MemberLoads]:
    used = _MemberLoads()
    for _, members in members_by_gang(state):
        for (node, request), count in members.items():
            used.add(node, count, amounts_in(dict(request)))
        yield
    return used


def _promised(state: State, decisions: Iterable[Decision]) -> Generator[None, None, _MemberLoads]:
    """The members that are planned for later, and the nodes of node holds."""
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
    each = {role.name: amounts_in(dict(role.request)) for role in roles}
    for entry in placement.members:
        promised.add(entry.node, entry.count, each.get(entry.role, {}))


def _free_slots(state: State, node: str, taken: int) -> int:
    bid = state.bids.get(node)
    return 0 if bid is None or bid.slots is None else max(0, bid.slots - taken)


def _is_open(state: State, node: NodeFact, now: float) -> bool:
    """Whether a member could start on the node now if there were room."""
    bid = state.bids.get(node.name)
    if why_closed(node, bid, state.pool) or state.owners.opens_at(node.name) > now:
        return False
    return bid is None or bid.available_until is None or now < bid.available_until
