"""Belief, frozen for one cycle: facts by name become arrays by index.

What depends on nodes and bids alone is built once for each generation of them, and shared by all snapshots of that
generation.
"""

import math
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import AMOUNT_LIMIT, GangKey, Nominated, PendingGang, Release, Role, Snapshot
from lockstep.belief.affinity import terms_of
from lockstep.belief.broken_terms import term_that_breaks
from lockstep.belief.constraints import constraints_of, taken_in_front
from lockstep.belief.endings import awaited_end, expected_finish
from lockstep.belief.kept_plan import kept_plan, promised_start
from lockstep.belief.members_left import Left, how_many_fit, members_left
from lockstep.belief.misfits import (
    ChecksFail,
    Misfit,
    NodesGone,
    NodesNotInPool,
    StaysTooShort,
    TooLittleRoom,
    closed,
    evicting,
    failed_check,
)
from lockstep.belief.node_arrays import UNLIMITED, NodeArrays, allocatable_column, node_arrays
from lockstep.belief.owner_forecasts import OwnerForecasts
from lockstep.belief.releases import Releases
from lockstep.belief.remaining_work import remaining_work
from lockstep.belief.reservation import Reservation
from lockstep.belief.resource_columns import amounts_in, columns_for
from lockstep.belief.role_parts import Part, parts_of, terms_of_parts
from lockstep.belief.running import Evictable, evictable_gangs, open_ended
from lockstep.belief.state import State
from lockstep.belief.submission import requested_at
from lockstep.facts.columns import VOLUMES_PREFIX
from lockstep.facts.gang import GangFact
from lockstep.facts.role import RoleSpec

# Of what many pods take from one node, no 64 bits wrap around.
_MOST_OF_ONE = AMOUNT_LIMIT // 2**10


Rescue = Callable[[GangKey, Exception], None]
Limits = Mapping[str, Mapping[str, int]]
"""By column, how many members single nodes take at most."""

NO_LIMITS: Limits = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a gang is planned on besides its spec; fields as in ``PendingGang``, but ``held`` by name.

    With ``wants_fewest`` it gets the fewest members that can run, as if it had all the time in the world. Where it
    ``is_remembered`` what the plan before gave it, nobody reads that from its status.
    """

    not_before: float = -math.inf
    may_hold: bool = True
    held: tuple[str, ...] = ()
    may_preempt: bool = False
    member_price: float = 0.0
    wants_fewest: bool = False
    is_remembered: bool = False


class _Asked(NamedTuple):
    """How urgent a gang is, None where nobody knows, and on what terms it is planned."""

    priority: int | None
    terms: Terms


NO_TERMS: Mapping[GangKey, Terms] = {}


class SnapshotCutter:
    """Cuts snapshots of one state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._nodes: NodeArrays | None = None
        self._forecasts = OwnerForecasts()
        self._releases = Releases(state)

    @property
    def nodes(self) -> int:
        """How many nodes gangs are planned on."""
        return len(self._node_arrays().table.names)

    def cut(
        self,
        now: float,
        gangs: Sequence[GangFact],
        *,
        terms: Mapping[GangKey, Terms] = NO_TERMS,
        most_holding: int = 0,
        rescue: Rescue | None = None,
    ) -> Snapshot:
        """What the planner needs to place these gangs now, some of them on terms of their own.

        Each must have a spec and a priority. At most ``most_holding`` of them hold nodes.

        An exception for one gang is a mistake of ours. It is raised, unless ``rescue`` is given: then ``rescue`` hears
        of it, and the snapshot is cut without that gang.
        """
        drawing = self.drawn(now, gangs, terms=terms, most_holding=most_holding, rescue=rescue)
        while True:
            try:
                next(drawing)
            except StopIteration as end:
                snapshot: Snapshot = end.value
                return snapshot

    def drawn(
        self,
        now: float,
        gangs: Sequence[GangFact],
        *,
        terms: Mapping[GangKey, Terms] = NO_TERMS,
        most_holding: int = 0,
        rescue: Rescue | None = None,
    ) -> Generator[None, None, Snapshot]:
        """Cut a snapshot in many small steps, between which belief may change.

        All that is free or taken is of the first step, and so is the generation: whoever compares that later knows
        whether anything has changed since. What single gangs ask of nodes may be newer.
        """
        nodes = self._node_arrays()
        limits = self._limits_by_volumes(gangs, rescue)
        resources = (*limits, *columns_for(gangs, self._state.nodes.values()))
        asked = {gang.key: _Asked(self._state.priorities.of(gang), terms.get(gang.key, Terms())) for gang in gangs}
        without_gangs = self._without_gangs(asked.values(), nodes, resources, limits, now)
        pending = []
        for gang in gangs:
            yield
            try:
                pending.append(self._pending(gang, asked[gang.key], nodes, resources, now))
            except Exception as error:
                if rescue is None:
                    raise
                rescue(gang.key, error)
        yield
        return without_gangs(gangs=tuple(pending), most_holding=most_holding)

    def _without_gangs(
        self, asked: Iterable[_Asked], nodes: NodeArrays, resources: tuple[str, ...], limits: Limits, now: float
    ) -> Callable[..., Snapshot]:
        """A snapshot of all that is free or taken, to which gangs are still to be added."""
        columns = self._state.ledger.columns(resources)
        committed = np.clip(self._state.ledger.committed(nodes.rows, columns), 0, AMOUNT_LIMIT)
        lasting = np.clip(self._state.ledger.lasting(nodes.rows, columns), 0, AMOUNT_LIMIT)
        releases = self._releases.of(nodes, resources, now)
        evictable = self._evictable(asked, nodes, resources, now)
        return partial(
            Snapshot,
            generation=self._state.generation,
            now=now,
            resources=resources,
            nodes=nodes.table,
            free=self._room(nodes, resources, limits) - committed,
            start=nodes.start,
            slowdown=nodes.slowdown,
            kinds=nodes.kinds.by_node,
            until=nodes.until,
            releases=releases,
            someday=_without_known_end(committed - lasting, releases),
            lasting=lasting,
            nominated=tuple(self._nominated(nodes, resources)),
            running=evictable.running,
            budgets=evictable.budgets,
            open_ended=open_ended(self._state, nodes.index, now),
            forecasts=self._forecasts.of([self._state.bids.get(name) for name in nodes.table.names], now),
        )

    def _evictable(
        self, asked: Iterable[_Asked], nodes: NodeArrays, resources: tuple[str, ...], now: float
    ) -> Evictable:
        """Who may be evicted for one of these; nobody is looked at where none of them may preempt."""
        urgent = (one.priority for one in asked if one.terms.may_preempt and one.priority is not None)
        return evictable_gangs(self._state, nodes.index, resources, now, below=max(urgent, default=-math.inf))

    def _nominated(self, nodes: NodeArrays, resources: tuple[str, ...]) -> Iterator[Nominated]:
        for pod in self._state.neighbours.nominated.values():
            if pod.nominated in nodes.index:
                amounts = dict(pod.request)
                vector = tuple(min(amounts.get(name, 0), _MOST_OF_ONE) for name in resources)
                yield Nominated(node=nodes.index[pod.nominated], request=vector, priority=pod.priority)

    def misfit(self, gang: GangFact, reservation: Reservation, now: float) -> Misfit | None:
        """Why the gang's members would not be put where this reservation has them if they were planned now.

        None where all is well. What the reservation itself takes does not count against it. Only nodes are looked at to
        which a member is still to be bound: those that run stay where they are.
        """
        nodes = self._node_arrays()
        left = members_left(self._state, reservation)
        unknown = tuple(node for node in left if node not in nodes.index)
        if unknown:
            gone = tuple(node for node in unknown if node not in self._state.nodes)
            return NodesGone(nodes=gone) if gone else NodesNotInPool(nodes=unknown)
        end = expected_finish(reservation, now)
        return (
            self._failed_check(nodes, left, gang, now, end)
            or term_that_breaks(self._state, gang, reservation)
            or closed(nodes, sorted(left), now, end)
            or self._short(nodes, left, reservation, self._state.priorities.of(gang))
        )

    def _failed_check(
        self, nodes: NodeArrays, left: Mapping[str, Left], gang: GangFact, now: float, end: float | None
    ) -> ChecksFail | StaysTooShort | None:
        """The nodes of members that are still to be bound, and do not pass the constraints of their role."""
        for role in gang.spec.roles if gang.spec else ():
            names = sorted(node for node, members in left.items() if role.name in members.unbound)
            if not names:
                continue
            constraints = constraints_of(self._state, gang, role)
            failed = failed_check(nodes, names, constraints) or evicting(nodes, names, constraints, now, end)
            if failed is not None:
                return failed
        return None

    def _short(
        self, nodes: NodeArrays, left: Mapping[str, Left], reservation: Reservation, priority: int | None
    ) -> TooLittleRoom | None:
        """Name the first node without room, and the resource that is short there."""
        wanted = tuple(sorted({name for one in reservation.requests.values() for name, amount in one if amount}))
        amounts = {role: dict(request) for role, request in reservation.requests.items()}
        rows = np.array([nodes.index[node] for node in left], dtype=np.intp)
        ledger = self._state.ledger
        committed = ledger.committed(nodes.rows[rows], ledger.columns(wanted))
        own = self._own_charges(reservation)
        in_front = taken_in_front(self._state, priority)
        for number, (node, members) in enumerate(left.items()):
            for column, resource in enumerate(wanted):
                allocatable = int(self._allocatable(nodes, resource)[rows[number]])
                taken = int(committed[number, column]) + in_front[node, resource]
                free = allocatable - taken + own[node, resource]
                each = [(count, amounts[role].get(resource, 0)) for role, count in members.counts.items()]
                if free < sum(count * amount for count, amount in each):
                    total = members.counts.total()
                    return TooLittleRoom(node=node, fit=how_many_fit(free, each), wanted=total, resource=resource)
        return None

    def _own_charges(self, reservation: Reservation) -> Counter[tuple[str, str]]:
        """What the reservation's members take of each resource of each node."""
        own: Counter[tuple[str, str]] = Counter()
        for (node, request), count in self._state.ledger.charged(reservation.gang_uid, reservation.attempt).items():
            for resource, amount in request:
                own[node, resource] += count * amount
        return own

    def _node_arrays(self) -> NodeArrays:
        if self._nodes is None or self._nodes.generation != self._state.nodes.generation:
            self._nodes = node_arrays(self._state)
        return self._nodes

    def _limits_by_volumes(self, gangs: Sequence[GangFact], rescue: Rescue | None) -> Limits:
        """Where nodes have volumes for some members of a role only: for how many, as a column of the role's own."""
        limits: dict[str, Mapping[str, int]] = {}
        for gang in gangs:
            try:
                parts = (
                    part
                    for role in (gang.spec.roles if gang.spec else ())
                    for part in parts_of(self._state, gang, role)
                )
                limits.update({volumes_of(gang.key, part): part.demand.most for part in parts if part.demand.most})
            except Exception as error:
                if rescue is None:
                    raise
                rescue(gang.key, error)
        return limits

    def _room(self, nodes: NodeArrays, resources: tuple[str, ...], limits: Limits) -> NDArray[np.int64]:
        """How much of each resource each node can hold, int[n, r]."""
        columns = np.array([self._allocatable(nodes, name, limits) for name in resources], dtype=np.int64)
        room: NDArray[np.int64] = np.clip(columns.reshape(len(resources), len(nodes.table.names)).T, 0, AMOUNT_LIMIT)
        return room

    def _allocatable(self, nodes: NodeArrays, resource: str, limits: Limits = NO_LIMITS) -> NDArray[np.int64]:
        if resource in limits:
            return np.array([limits[resource].get(name, UNLIMITED) for name in nodes.table.names], dtype=np.int64)
        column = nodes.allocatable.get(resource)
        if column is None:
            column = allocatable_column(self._state, nodes.table.names, resource)
            nodes.allocatable[resource] = column
        return column

    def _pending(
        self, gang: GangFact, asked: _Asked, nodes: NodeArrays, resources: tuple[str, ...], now: float
    ) -> PendingGang:
        spec, priority, terms = gang.spec, asked.priority, asked.terms
        assert spec is not None, "a refused gang is not planned"
        assert priority is not None, "a gang of unknown priority is not planned"
        awaited = awaited_end(self._state, gang.key, now)
        parts = ((role, part) for role in spec.roles for part in parts_of(self._state, gang, role))
        roles = tuple(self._role(gang, role, part, resources) for role, part in parts)
        learned = self._state.past_runs.in_force(gang)
        work = remaining_work(gang, learned)
        return PendingGang(
            key=gang.key,
            priority=priority,
            created=gang.created,
            requested=requested_at(gang, now),
            roles=roles,
            work=work,
            deadline=_deadline(gang, terms),
            member_price=terms.member_price,
            not_before=terms.not_before,
            promised=promised_start(gang),
            kept=None if terms.is_remembered else kept_plan(gang, roles, nodes, work, learned),
            may_hold=terms.may_hold,
            terms=terms_of_parts(terms_of(self._state, gang), [role.name for role in roles]),
            held=tuple(nodes.index[node] for node in terms.held) if nodes.index.keys() >= set(terms.held) else (),
            may_preempt=terms.may_preempt,
            awaits=-math.inf if awaited is None else awaited,
            interruptible=spec.interruptible,
            checkpoint_interval=spec.checkpoint_interval,
            factors=nodes.kinds.factors(learned) if work is not None else (),
        )

    def _role(self, gang: GangFact, role: RoleSpec, part: Part, resources: tuple[str, ...]) -> Role:
        own = volumes_of(gang.key, part)
        request = (*role.request, (own, 1)) if own in resources else role.request
        constraints, barred = constraints_of(self._state, gang, role), part.demand.barred
        return Role(
            name=part.name,
            sizes=part.sizes,
            request=amounts_in(resources, request),
            constraints=replace(constraints, barred=(*constraints.barred, *barred)) if barred else constraints,
            load=role.load,
            pieces=role.pieces,
        )


def _deadline(gang: GangFact, terms: Terms) -> float | None:
    """By when it is to end with the fewest members; None where it may have more."""
    if gang.spec is not None and gang.spec.deadline_seconds is not None:
        return gang.created + gang.spec.deadline_seconds
    return math.inf if terms.wants_fewest else None


def volumes_of(gang: GangKey, part: Part) -> str:
    """The column of the members of a role, or of a part of one, for which nodes have volumes."""
    return " ".join(filter(None, (f"{VOLUMES_PREFIX}{gang.namespace}/{gang.name}", part.name)))


def _without_known_end(ending: NDArray[np.int64], releases: Sequence[Release]) -> NDArray[np.int64]:
    """What comes back on each node some time, nobody knows when: of what is to end, all that is not released."""
    known = np.zeros(ending.shape)
    if releases:
        requests = np.array([release.request for release in releases], dtype=np.float64)
        np.add.at(known, [release.node for release in releases], requests)
    # Whole numbers as long as they are of a size that nodes have.
    someday: NDArray[np.int64] = np.clip(ending - known, 0, AMOUNT_LIMIT).astype(np.int64)
    return someday
