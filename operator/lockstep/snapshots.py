"""Belief, frozen for one cycle: facts by name become arrays by index.

What depends on nodes and bids alone is built once a generation of them and shared by all snapshots of that generation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coschedule.cluster.snapshot import NodeTable, PendingGang, Release, Snapshot
from lockstep.facts import GangFact, Request
from lockstep.names import HOST_PORT_PREFIX, SLOTS
from lockstep.state import Reservation, State

# More than any node holds, and small enough to be subtracted from without overflow.
UNLIMITED = 2**40
# An overrun moves the expected end by this share of what has elapsed (docs/architecture.md, predictions).
OVERRUN_SHARE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeArrays:
    """Nodes and their bids as columns; ``allocatable[name][n]`` in base units."""

    generation: int
    table: NodeTable
    index: dict[str, int]
    start: NDArray[np.float64]
    slowdown: NDArray[np.float64]
    until: NDArray[np.float64]
    rows: NDArray[np.intp]
    allocatable: dict[str, NDArray[np.int64]]


class SnapshotCutter:
    """Cuts snapshots of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None

    def cut(self, now: float, gangs: Sequence[GangFact]) -> Snapshot:
        """What the planner needs to place these gangs now. Each must have a spec and a priority."""
        nodes = self._node_arrays()
        resources = tuple(sorted({name for gang in gangs if gang.spec for name, _ in gang.spec.request}))
        allocatable = np.array([self._allocatable(nodes, name) for name in resources], dtype=np.int64)
        ledger = self._state.ledger
        committed = ledger.committed(nodes.rows, ledger.columns(resources))
        return Snapshot(
            generation=self._state.generation,
            now=now,
            resources=resources,
            nodes=nodes.table,
            free=allocatable.reshape(len(resources), -1).T - committed,
            start=nodes.start,
            slowdown=nodes.slowdown,
            until=nodes.until,
            releases=tuple(self._releases(nodes, resources, now)),
            gangs=tuple(self._pending(gang, resources) for gang in gangs),
        )

    def _node_arrays(self) -> NodeArrays:
        if self._nodes is None or self._nodes.generation != self._state.nodes_generation:
            self._nodes = node_arrays(self._state)
        return self._nodes

    def _allocatable(self, nodes: NodeArrays, resource: str) -> NDArray[np.int64]:
        column = nodes.allocatable.get(resource)
        if column is None:
            column = allocatable_column(self._state, nodes.table.names, resource)
            nodes.allocatable[resource] = column
        return column

    def _releases(self, nodes: NodeArrays, resources: tuple[str, ...], now: float) -> list[Release]:
        """What the gangs that hold nodes give back, and when. What has ended already is free already."""
        releases = []
        for reservation in self._state.reservations.values():
            end = expected_end(reservation, now)
            if end is None:
                continue
            for (node, request), count in self._charged(reservation).items():
                if node in nodes.index:
                    amounts = dict(request)
                    vector = tuple(count * amounts.get(name, 0) for name in resources)
                    releases.append(Release(node=nodes.index[node], request=vector, time=end))
        return releases

    def _charged(self, reservation: Reservation) -> dict[tuple[str, Request], int]:
        counts: dict[tuple[str, Request], int] = {}
        for pod in reservation.pod_keys():
            charge = self._state.ledger.charge(pod)
            if charge is not None:
                kind = (charge.node, charge.request)
                counts[kind] = counts.get(kind, 0) + 1
        return counts

    def _pending(self, gang: GangFact, resources: tuple[str, ...]) -> PendingGang:
        spec, priority = gang.spec, self._state.priority_of(gang)
        assert spec is not None, "a refused gang is not planned"
        assert priority is not None, "a gang of unknown priority is not planned"
        amounts = dict(spec.request)
        return PendingGang(
            key=gang.key,
            priority=priority,
            created=gang.created,
            minimum=spec.minimum,
            maximum=spec.maximum,
            work=spec.work,
            request=tuple(amounts.get(name, 0) for name in resources),
            constraints=self._state.claims.constraints(gang),
            deadline=None if spec.deadline_seconds is None else gang.created + spec.deadline_seconds,
            load=spec.load,
            pieces=spec.pieces,
        )


def expected_end(reservation: Reservation, now: float) -> float | None:
    """When a gang is expected to end; a gang that overruns, a twentieth of its age from now."""
    end = reservation.expected_finish
    if end is None or end > now:
        return end
    return now + OVERRUN_SHARE * (now - reservation.start)


def node_arrays(state: State) -> NodeArrays:
    """The nodes in the order of their names, with their bids; without a bid a node is an idle reference node."""
    facts = [state.nodes[name] for name in sorted(state.nodes)]
    names = tuple(fact.name for fact in facts)
    bids = [state.bids.get(name) for name in names]
    return NodeArrays(
        generation=state.nodes_generation,
        table=NodeTable(
            names=names,
            labels=tuple(fact.labels for fact in facts),
            taints=tuple(fact.taints for fact in facts),
            ready=np.array([fact.is_ready for fact in facts], dtype=np.bool_),
            unschedulable=np.array([fact.is_unschedulable for fact in facts], dtype=np.bool_),
        ),
        index={name: number for number, name in enumerate(names)},
        start=np.array([0.0 if bid is None else bid.available_from or 0.0 for bid in bids]),
        slowdown=np.array([1.0 if bid is None else bid.slowdown for bid in bids]),
        until=np.array([np.inf if bid is None else bid.available_until or np.inf for bid in bids]),
        rows=state.ledger.rows(names),
        allocatable={},
    )


def allocatable_column(state: State, names: tuple[str, ...], resource: str) -> NDArray[np.int64]:
    """How much of one resource each node can hold, in base units."""
    if resource == SLOTS:
        bids = (state.bids.get(name) for name in names)
        return np.array([UNLIMITED if bid is None or bid.slots is None else bid.slots for bid in bids], dtype=np.int64)
    if resource.startswith(HOST_PORT_PREFIX):
        return np.ones(len(names), dtype=np.int64)
    return np.array([dict(state.nodes[name].allocatable).get(resource, 0) for name in names], dtype=np.int64)
