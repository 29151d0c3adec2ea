"""The cache, frozen for one plan: facts by name become arrays by index.

Arrays that depend only on nodes and bids are built once for each generation, and shared by its snapshots.
"""

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from coschedule import ElasticRun, GangKey, PendingGang, SizedRun, Snapshot
from lockstep.belief.common.steps import Steps, at_once
from lockstep.belief.gangs.age import age_stands_still
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.asked import Demands, Room
from lockstep.snapshot.constraints import constraints_of
from lockstep.snapshot.frozen_amounts import AmountsFreezer, room_of
from lockstep.snapshot.holders.directions import directions
from lockstep.snapshot.holders.elastic_runs import elastic_requests, resizable_gangs
from lockstep.snapshot.holders.resizable import Resizable
from lockstep.snapshot.holders.sized_runs import SizedRuns
from lockstep.snapshot.nodes.node_arrays import NodeArrays, node_arrays
from lockstep.snapshot.pending import pending_gang
from lockstep.snapshot.placement_conflicts import PlacementConflict
from lockstep.snapshot.still_fits import conflict_of
from lockstep.snapshot.wanted import PlanTerms, WantedGang, wanted

# The cost of finding what the volumes of a role require, in pieces of work. A piece takes about a microsecond.
_PIECES_OF_CLAIMS = 50

Rescue = Callable[[GangKey, Exception], None]

NO_TERMS: Mapping[GangKey, PlanTerms] = {}


class Watch(Protocol):
    """Called while a snapshot is drawn."""

    def froze_amounts(self, left_out: Collection[GangKey]) -> None:
        """Amounts are frozen in this step. Gangs that are ``left_out`` wait for a later plan."""

    def found_elastic(self, runs: Sequence[SizedRun]) -> None:
        """These gangs run and may change their size."""


class SnapshotCutter:
    """Draws snapshots of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None
        self._freezer = AmountsFreezer(state)
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
        """Draw the snapshot in which the planner places these gangs now; ``terms`` has the special terms of gangs.

        Each gang must have a priority. The planner holds nodes for at most ``most_holding`` of them. An exception for
        one gang is a bug of ours: it is raised, or given to ``rescue``, and then the gang is left out.
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

        All amounts are frozen in one step, in which ``watch`` is called. The snapshot has the generation of the first
        step, so that callers see whether the cache has changed since. The constraints of gangs may be newer.
        """
        generation = self._state.changes.generation
        # After a start, or a change of a storage class, volumes are counted again on all nodes.
        yield from self._state.attachments.renewing()
        found = yield from self._finding_what_is_wanted(gangs, terms, rescue)
        running = () if watch is None else elastic_requests(self._state)
        asked, left_out = yield from self._room_for.choosing(found, running)
        yield from self._making_ready(asked)
        if watch is not None:
            watch.froze_amounts(left_out)
        nodes = self._node_arrays()
        resizable = () if watch is None else resizable_gangs(self._state, nodes, asked.columns, now)
        without_gangs = self._freezer.without_gangs(asked, nodes, now, {one.gang.key for one in resizable})
        pending = yield from self._pending_gangs(asked, nodes, now, rescue)
        if watch is not None:
            watch.found_elastic((yield from self._elastic_runs(resizable, asked, nodes, now, rescue)))
        yield
        return without_gangs(generation=generation, gangs=tuple(pending), most_holding=most_holding)

    def conflict(
        self, gang: AcceptedGang, reservation: Reservation, now: float, *, replaced: Reservation | None = None
    ) -> PlacementConflict | None:
        """Why the gang's members would not be placed as in this reservation if they were planned now.

        None if they would be placed. The amounts of ``replaced``, which the reservation replaces, count as free.
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
        """Compute and keep, in steps, columns that take long for many nodes. Those that change are computed again."""
        steps, nodes = Steps(), self._node_arrays()
        if steps.are_due(len(nodes.facts)):
            yield
        yield from asked.volumes.making_ready(nodes, steps)
        yield from self._state.ledger.opening_columns(asked.columns.names)
        for name in asked.columns.names:
            room_of(name, asked, nodes)
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
        described = SizedRuns(self._state, nodes, asked.columns, now)
        for one in resizable:
            yield
            with _guarded(one.gang, rescue):
                around = Surroundings(self._state, one.gang)
                yield from around.answering(steps)
                constraints = {
                    role.name: constraints_of(self._state, one.gang, role, around) for role in one.spec.roles
                }
                run = described.of(one, constraints)
                if isinstance(run, ElasticRun):
                    sizes = may_go.sizes(run.sizes, run.size, one.priority)
                    run = replace(run, sizes=sizes, fewest=run.sizes.minimum)
                if run is not None:
                    runs.append(run)
        return runs


@contextmanager
def _guarded(gang: GangFact, rescue: Rescue | None) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if rescue is None:
            raise
        rescue(gang.key, error)
