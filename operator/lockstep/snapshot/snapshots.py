"""The cache, frozen for one plan: facts by name become arrays by index.

What depends only on nodes and bids is built once for each generation of them, and shared by its snapshots.
"""

import math
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from coschedule import (
    AMOUNT_LIMIT,
    ElasticRun,
    FairShares,
    GangKey,
    Nominated,
    PendingGang,
    Release,
    SizedRun,
    Snapshot,
)
from lockstep.belief.common.steps import Steps, at_once
from lockstep.belief.gangs.age import age_stands_still
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.asked import Demands, Room
from lockstep.snapshot.constraints import constraints_of
from lockstep.snapshot.holders.counted_twice import all_counted_twice
from lockstep.snapshot.holders.directions import directions
from lockstep.snapshot.holders.elastic_runs import elastic_requests, resizable_gangs, sized_run
from lockstep.snapshot.holders.group_shares import shares_of_groups, shares_that_hold
from lockstep.snapshot.holders.releases import Releases
from lockstep.snapshot.holders.resizable import Resizable
from lockstep.snapshot.holders.running import Evictable, evictable_gangs, open_ended
from lockstep.snapshot.nodes.node_arrays import NodeArrays, node_arrays
from lockstep.snapshot.nodes.owner_forecasts import OwnerForecasts
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.pending import pending_gang
from lockstep.snapshot.placement_conflicts import PlacementConflict
from lockstep.snapshot.still_fits import conflict_of
from lockstep.snapshot.wanted import PlanTerms, WantedGang, wanted

# Sums of what many pods take from one node do not overflow 64 bits.
_MOST_OF_ONE = AMOUNT_LIMIT // 2**10
# In pieces of work: the cost of finding what the volumes of a role require.
_PIECES_OF_CLAIMS = 50

Rescue = Callable[[GangKey, Exception], None]

NO_TERMS: Mapping[GangKey, PlanTerms] = {}


class Watch(Protocol):
    """Called while a snapshot is drawn."""

    def frozen(self, left_out: Collection[GangKey]) -> None:
        """Free and taken amounts are frozen in this step; ``left_out`` gangs wait for a later plan."""

    def found_elastic(self, runs: Sequence[SizedRun]) -> None:
        """These gangs run and may change their size."""


class SnapshotCutter:
    """Draws snapshots of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None
        self._forecasts = OwnerForecasts()
        self._releases = Releases(state)
        self._room_for = Room(state)

    @property
    def nodes(self) -> int:
        """The number of nodes that gangs are planned on."""
        return len(self._node_arrays().table.names)

    def cut(
        self,
        now: float,
        gangs: Sequence[AcceptedGang],
        *,
        terms: Mapping[GangKey, PlanTerms] = NO_TERMS,
        most_holding: int = 0,
        rescue: Rescue | None = None,
        watch: Watch | None = None,
    ) -> Snapshot:
        """Draw the snapshot in which the planner places these gangs now; ``terms`` has special terms of some.

        Each gang must have a spec and a priority. At most ``most_holding`` of them hold nodes.

        An exception for one gang is a bug of ours. It is raised, unless ``rescue`` is given: then ``rescue`` is called
        with it, and the gang is left out.
        """
        return at_once(self.drawn(now, gangs, terms=terms, most_holding=most_holding, rescue=rescue, watch=watch))

    def drawn(
        self,
        now: float,
        gangs: Sequence[AcceptedGang],
        *,
        terms: Mapping[GangKey, PlanTerms] = NO_TERMS,
        most_holding: int = 0,
        rescue: Rescue | None = None,
        watch: Watch | None = None,
    ) -> Generator[None, None, Snapshot]:
        """Draw a snapshot in many small steps, between which the cache may change.

        All free and taken amounts are of one step, and ``watch`` is called in that step. The generation is that of the
        first step, so a caller can check whether anything has changed since. What single gangs ask of nodes may be
        newer.
        """
        generation = self._state.changes.generation
        # After a start, or a change of a storage class, volumes are counted again on all nodes.
        yield from self._state.attachments.renewing()
        found = yield from self._finding_what_is_wanted(gangs, terms, rescue)
        running = () if watch is None else elastic_requests(self._state)
        asked, left_out = yield from self._room_for.choosing(found, running)
        yield from self._making_ready(asked)
        if watch is not None:
            watch.frozen(left_out)
        nodes = self._node_arrays()
        resizable = () if watch is None else resizable_gangs(self._state, nodes, asked.columns, now)
        without_gangs = self._without_gangs(asked, nodes, now, {one.gang.key for one in resizable})
        pending = yield from self._pending_gangs(asked, nodes, now, rescue)
        if watch is not None:
            watch.found_elastic((yield from self._elastic_runs(resizable, asked, nodes, now, rescue)))
        yield
        return without_gangs(generation=generation, gangs=tuple(pending), most_holding=most_holding)

    def conflict(
        self, gang: AcceptedGang, reservation: Reservation, now: float, *, replaced: Reservation | None = None
    ) -> PlacementConflict | None:
        """Why the gang's members would not be placed as in this reservation if they were planned now.

        What is ``replaced`` by the reservation counts as free.
        """
        return conflict_of(self._state, self._node_arrays(), gang, reservation, now, replaced)

    def _node_arrays(self) -> NodeArrays:
        if self._nodes is None or self._nodes.generation != self._state.nodes.generation:
            self._nodes = node_arrays(self._state)
        return self._nodes

    def _finding_what_is_wanted(
        self, gangs: Sequence[AcceptedGang], terms: Mapping[GangKey, PlanTerms], rescue: Rescue | None
    ) -> Generator[None, None, list[WantedGang]]:
        steps, found = Steps(), list[WantedGang]()
        for gang in gangs:
            with _guarded(gang, rescue):
                found.append(wanted(self._state, gang, terms.get(gang.key, PlanTerms())))
                if steps.are_due(1 + sum(_PIECES_OF_CLAIMS for role in found[-1].spec.roles if role.claims)):
                    yield
        return found

    def _making_ready(self, asked: Demands) -> Generator[None, None, None]:
        """Compute in steps what takes long for many nodes; what changes meanwhile is computed again."""
        steps, nodes = Steps(), self._node_arrays()
        if steps.are_due(len(nodes.facts)):
            yield
        yield from asked.volumes.making_ready(nodes, steps)
        yield from self._state.ledger.opening_columns(asked.columns.names)
        for name in asked.columns.names:
            self._room_of(name, asked, nodes)
            if steps.are_due(len(nodes.facts)):
                yield

    def _pending_gangs(
        self, asked: Demands, nodes: NodeArrays, now: float, rescue: Rescue | None
    ) -> Generator[None, None, list[PendingGang]]:
        pending, steps = list[PendingGang](), Steps()
        for one in asked.wanted:
            yield
            with _guarded(one.gang, rescue):
                around = Surroundings(self._state, one.gang)
                yield from around.answering(steps)
                pending.append(pending_gang(self._state, one, around, nodes, asked.columns, now))
        return pending

    def _elastic_runs(
        self, resizable: Sequence[Resizable], asked: Demands, nodes: NodeArrays, now: float, rescue: Rescue | None
    ) -> Generator[None, None, list[SizedRun]]:
        waiting = [one.priority for one in asked.wanted if not age_stands_still(one.gang)]
        may_go = directions(waiting, (one.priority for one in resizable))
        runs, steps = list[SizedRun](), Steps()
        for one in resizable:
            yield
            with _guarded(one.gang, rescue):
                around = Surroundings(self._state, one.gang)
                yield from around.answering(steps)
                constraints = {
                    role.name: constraints_of(self._state, one.gang, role, around) for role in one.spec.roles
                }
                run = sized_run(self._state, one, constraints, nodes, asked.columns, now)
                if isinstance(run, ElasticRun):
                    sizes = may_go.sizes(run.sizes, run.size, one.priority)
                    run = replace(run, sizes=sizes, fewest=run.sizes.minimum)
                if run is not None:
                    runs.append(run)
        return runs

    def _without_gangs(
        self, asked: Demands, nodes: NodeArrays, now: float, resizable: Collection[GangKey]
    ) -> Callable[..., Snapshot]:
        """A constructor of a snapshot with all free and taken amounts, to which gangs are added."""
        ledger, columns = self._state.ledger, asked.columns
        taken = ledger.columns(columns.names)
        counted = ledger.committed(nodes.rows, taken) - self._counted_twice(nodes, columns)
        committed = np.clip(counted, 0, AMOUNT_LIMIT)
        lasting = np.clip(ledger.lasting(nodes.rows, taken), 0, AMOUNT_LIMIT)
        releases = self._releases.of(nodes, columns, now, by_member=resizable)
        evictable = self._evictable(asked, nodes, now)
        return partial(
            Snapshot,
            now=now,
            resources=columns.names,
            shares=self._shares(asked, nodes, now),
            nodes=nodes.table,
            free=self._room(asked, nodes) - committed,
            start=nodes.start,
            slowdown=nodes.slowdown,
            kinds=nodes.kinds.by_node,
            until=nodes.until,
            releases=releases,
            someday=_without_known_end(committed - lasting, releases),
            lasting=lasting,
            nominated=tuple(self._nominated(nodes, columns)),
            running=evictable.running,
            budgets=evictable.budgets,
            open_ended=open_ended(self._state, nodes.index, now),
            forecasts=self._forecasts.of([self._state.bids.get(name) for name in nodes.table.names], now),
        )

    def _shares(self, asked: Demands, nodes: NodeArrays, now: float) -> FairShares:
        """The groups that take turns. What they hold is read only where it may be taken back."""
        namespaces = (one.gang.key.namespace for one in asked.wanted)
        if not any(one.terms.may_preempt for one in asked.wanted):
            return shares_of_groups(self._state, namespaces, asked.columns, now)
        return shares_that_hold(self._state, namespaces, nodes.index, asked.columns, now)

    def _counted_twice(self, nodes: NodeArrays, columns: Columns) -> NDArray[np.int64]:
        """What the ledger has twice on each node, of gangs that change their size: int[n, r]."""
        twice = np.zeros((len(nodes.facts), len(columns.names)), dtype=np.int64)
        for node, amounts in all_counted_twice(self._state).items():
            if node in nodes.index:
                twice[nodes.index[node]] = [min(amounts.get(name, 0), AMOUNT_LIMIT) for name in columns.names]
        return twice

    def _evictable(self, asked: Demands, nodes: NodeArrays, now: float) -> Evictable:
        """The gangs that may be evicted for one of these; none are read if none of these may preempt.

        Groups take back from gangs of the same priority, too.
        """
        urgent = (one.priority for one in asked.wanted if one.terms.may_preempt)
        below = max(urgent, default=-math.inf) + bool(self._state.shares.named)
        return evictable_gangs(self._state, nodes.index, asked.columns, now, below=below)

    def _nominated(self, nodes: NodeArrays, columns: Columns) -> Iterator[Nominated]:
        for pod in self._state.counts.pods_nearby.nominated.values():
            if pod.nominated in nodes.index:
                vector = columns.held([(pod.request, 1)], _MOST_OF_ONE)
                yield Nominated(node=nodes.index[pod.nominated], request=vector, priority=pod.priority)

    def _room(self, asked: Demands, nodes: NodeArrays) -> NDArray[np.int64]:
        """How much of each resource each node can hold: int[n, r]."""
        columns = np.array([self._room_of(name, asked, nodes) for name in asked.columns.names], dtype=np.int64)
        shape = len(asked.columns.names), len(nodes.facts)
        room: NDArray[np.int64] = np.clip(columns.reshape(shape).T, 0, AMOUNT_LIMIT)
        return room

    @staticmethod
    def _room_of(name: str, asked: Demands, nodes: NodeArrays) -> NDArray[np.int64]:
        volumes = asked.volumes.room(name, nodes)
        return nodes.allocatable(name) if volumes is None else volumes


@contextmanager
def _guarded(gang: GangFact, rescue: Rescue | None) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if rescue is None:
            raise
        rescue(gang.key, error)


def _without_known_end(ending: NDArray[np.int64], releases: Sequence[Release]) -> NDArray[np.int64]:
    """What will be released on each node at an unknown time: all that ends, less the known releases."""
    known = np.zeros(ending.shape)
    if releases:
        # Many nodes release the same amounts, which are then one object.
        requests = {id(release.request): release.request for release in releases}
        number = {one: row for row, one in enumerate(requests)}
        amounts = np.array(list(requests.values()), dtype=np.float64)
        rows = [number[id(release.request)] for release in releases]
        np.add.at(known, [release.node for release in releases], amounts[rows])
    # Integers below 2**53 stay exact as floats.
    unknown: NDArray[np.int64] = np.clip(ending - known, 0, AMOUNT_LIMIT).astype(np.int64)
    return unknown
