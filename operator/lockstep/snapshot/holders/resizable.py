"""Gangs that hold nodes and may change their size, and what these gangs hold.

A gang keeps its size while the planner can't compare other sizes exactly: for example, if members have ended, or if
other pods decide where members may be.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from coschedule import AMOUNT_LIMIT, Holding
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.role_sizes import claims_stay, varying_role
from lockstep.facts.reasons import Condition
from lockstep.snapshot.holders.endings import expected_finish, longest_grace
from lockstep.snapshot.holders.leaving import has_former_members
from lockstep.snapshot.holders.running import may_be_evicted
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns, is_of_every_node


class KeepsSize(StrEnum):
    """Why the size of an elastic gang that holds nodes is not chosen anew."""

    NO_VARYING_ROLE = "NoVaryingRole"
    CLAIMS_MOVE = "ClaimsMove"
    MINDS_PODS = "MindsPods"
    OWN_COLUMNS = "OwnColumns"
    NOT_ALL_RUN = "NotAllRun"
    MEMBERS_LEAVE = "MembersLeave"
    NOT_ON_KNOWN_NODES = "NotOnKnownNodes"
    NOT_COMPARABLE = "NotComparable"


class HeldRole(NamedTuple):
    """A role of a running gang, and the node of each of its members by rank, as an index."""

    role: RoleSpec
    nodes: tuple[int, ...]


class Resizable(NamedTuple):
    """A running gang that may change its size.

    Only the size of the role ``varying`` changes. The ``fixed`` roles keep their members and nodes. ``end`` is None if
    it is unknown. Members that the gang gives up are gone after ``grace`` seconds. With ``in_order``, the members with
    the highest ranks leave first, because another controller decides this. A gang that is not ready (``is_ready``) is
    starting or changing its size. It is described with the members that it has when it is ready.
    """

    gang: AcceptedGang
    spec: GangSpec
    varying: HeldRole
    fixed: tuple[HeldRole, ...]
    elastic: ElasticSpec
    reservation: Reservation
    priority: int
    end: float | None
    grace: float
    in_order: bool = False
    is_ready: bool = True

    @property
    def nodes(self) -> tuple[int, ...]:
        """The node of each member of the role whose size changes."""
        return self.varying.nodes

    @property
    def fixed_size(self) -> int:
        """The number of members of the other roles."""
        return sum(len(held.nodes) for held in self.fixed)

    @property
    def asked(self) -> int | None:
        """The number of members of the varying role at ``elastic.size``, which counts all roles.

        None if there is no such size.
        """
        return None if self.elastic.size is None else self.elastic.size - self.fixed_size

    @property
    def working_nodes(self) -> list[int]:
        """The node of each member that does a part of the work."""
        return [node for held in (self.varying, *self.fixed) if held.role.load.is_work for node in held.nodes]


def resizable(
    state: State, gang: AcceptedGang, reservation: Reservation, nodes: NodeArrays, columns: Columns, now: float
) -> Resizable | KeepsSize:
    """The elastic gang with what it holds, or the reason why its size is not chosen anew."""
    always = _always_keeps(gang.spec)
    if always is not None:
        return always
    if state.priorities.of(gang) is None or not _runs_undisturbed(state, gang, reservation):
        return KeepsSize.NOT_ALL_RUN
    if has_former_members(state, reservation):
        return KeepsSize.MEMBERS_LEAVE
    found = _as_reserved(state, gang, reservation, nodes, columns, now)
    return KeepsSize.NOT_ON_KNOWN_NODES if found is None else found


def resizable_later(
    state: State, gang: AcceptedGang, reservation: Reservation, nodes: NodeArrays, columns: Columns, now: float
) -> Resizable | None:
    """The elastic gang as it will be when it has started or changed its size; None if it does neither.

    The gang keeps its size until then. But plans count on its later changes.
    """
    following = state.counts.next_sizes.of(gang.key)
    is_over = gang.is_deleting or gang.policies.is_suspended
    if (
        _always_keeps(gang.spec) is not None
        or is_over
        or (following is None and not _is_starting(state, gang, reservation))
    ):
        return None
    found = _as_reserved(state, gang, following or reservation, nodes, columns, now)
    return None if found is None else found._replace(is_ready=False)


def _is_starting(state: State, gang: GangFact, reservation: Reservation) -> bool:
    """Whether the gang is starting, or members join it.

    Either the status does not have this attempt yet, or some members do not run yet and none has left.
    """
    status = gang.status
    if status.attempt < reservation.attempt:
        return gang.uid == reservation.gang_uid
    is_new = status.started_at is None or bool(reservation.joining)
    has_left = bool(status.succeeded_ranks) or has_former_members(state, reservation)
    return is_new and not has_left and may_be_evicted(state, gang, reservation)


def _as_reserved(
    state: State, gang: AcceptedGang, reservation: Reservation, nodes: NodeArrays, columns: Columns, now: float
) -> Resizable | None:
    """The gang with the members of this reservation.

    None if members do not hold what the reservation says, or are on unknown nodes. Also None if no role varies, or if
    the priority is unknown.
    """
    spec, priority, role = gang.spec, state.priorities.of(gang), varying_role(gang.spec.roles)
    assert spec.elastic is not None, "a gang that may change its size says so"
    if role is None or priority is None or not _is_as_reserved(state, reservation, nodes, columns):
        return None
    held = {one.name: HeldRole(one, _nodes_of(one, reservation, nodes.index)) for one in spec.roles}
    varying = held.pop(role.name)
    end, grace = expected_finish(reservation, now), longest_grace(gang)
    return Resizable(gang, spec, varying, tuple(held.values()), spec.elastic, reservation, priority, end, grace)


def _always_keeps(spec: GangSpec) -> KeepsSize | None:
    """Why the gang never changes its size, by its spec; None if it may change."""
    if varying_role(spec.roles) is None:
        return KeepsSize.NO_VARYING_ROLE
    if not claims_stay(spec.roles):
        return KeepsSize.CLAIMS_MOVE
    if spec.minds_pods:
        return KeepsSize.MINDS_PODS
    return KeepsSize.OWN_COLUMNS if has_own_columns(spec) else None


def has_own_columns(spec: GangSpec) -> bool:
    """Whether a member uses host ports or disks."""
    return any(is_of_every_node(name) for role in spec.roles for name, _ in role.request)


def _is_as_reserved(state: State, reservation: Reservation, nodes: NodeArrays, columns: Columns) -> bool:
    """Whether each member is on a known node, as reserved, and takes what its role requests."""
    wanted, held = Counter[Holding](), Counter[Holding]()
    for entry in reservation.members:
        if entry.node not in nodes.index:
            return False
        request = columns.asked(reservation.requests[entry.role])
        wanted[Holding(nodes.index[entry.node], request)] += entry.count
    for (node, taken), count in state.ledger.charged(
        reservation.gang, reservation.gang_uid, reservation.attempt
    ).items():
        if node in nodes.index:
            held[Holding(nodes.index[node], columns.held([(taken, 1)], AMOUNT_LIMIT))] += count
    return wanted == held


def _runs_undisturbed(state: State, gang: GangFact, reservation: Reservation) -> bool:
    """Whether all members have run, none has succeeded, and the gang is not ending."""
    status = gang.status
    has_run = status.is_true(Condition.PLACED) and status.started_at is not None and not reservation.joining
    return has_run and not status.succeeded_ranks and may_be_evicted(state, gang, reservation)


def _nodes_of(role: RoleSpec, reservation: Reservation, index: Mapping[str, int]) -> tuple[int, ...]:
    entries = (entry for entry in reservation.members if entry.role == role.name)
    return tuple(index[entry.node] for entry in entries for _ in range(entry.count))
