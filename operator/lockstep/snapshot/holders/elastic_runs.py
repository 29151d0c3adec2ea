"""The gangs that run and may change their size, as the engine needs them."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import NamedTuple

from coschedule import Constraints, ElasticRun, FixedMembers, OpenEndedRun, SeatKind, SizedRun, Sizes, UnitTime
from lockstep.belief.gangs.piece_reads import pieces_left
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.belief.run_times.reported_work import reported_part
from lockstep.belief.run_times.work_done import has_used_up_its_work
from lockstep.belief.state import State
from lockstep.facts.elastic import LONGEST_NOTICE_SECONDS
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.pod import Request
from lockstep.snapshot.holders.elastic_pod_gangs import (
    ElasticCandidate,
    elastic_candidates,
    requests_of_elastic_pods,
    resizable_pod_gang,
)
from lockstep.snapshot.holders.resizable import Resizable, has_own_columns, resizable
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

MOST_MEMBERS = 8_000
"""The most members, in all, of the gangs whose sizes are chosen in one plan; the last gang may exceed it."""
# In members: to read a gang takes as long as to read this many of its members, besides the members themselves.
_COST_OF_GANG = 7
_TURN_SECONDS = 60.0
_SHORTEST_GRACE_SECONDS = 1.0


class _ElasticHolder(NamedTuple):
    """A gang with what it holds."""

    gang: AcceptedGang
    held: Reservation

    @property
    def size(self) -> int:
        return self.held.size


_AnyHolder = _ElasticHolder | ElasticCandidate


class _Ending(NamedTuple):
    """A gang that ends at ``end``, and the part of the work that its members report as done."""

    run: Resizable
    end: float
    reported: str


def any_elastic_run(state: State) -> bool:
    """Whether any gang that holds nodes may change its size."""
    return any(True for _ in chain(_elastic_holders(state), elastic_candidates(state)))


def elastic_requests(state: State) -> set[Request]:
    """What one member takes of its node, for each gang that holds nodes and may change its size."""
    of_gangs = {role.request for gang, _ in _elastic_holders(state) for role in gang.spec.roles}
    return of_gangs.union(requests_of_elastic_pods(state))


def resizable_gangs(state: State, nodes: NodeArrays, columns: Columns, now: float) -> list[Resizable]:
    """The gangs that may change their size now, by what they hold of these nodes.

    They are read in one step, so their number is bounded. The others keep their size until it is their turn.
    """
    found, read = list[Resizable](), 0
    for holder in _in_turn([*_elastic_holders(state), *elastic_candidates(state)], now):
        if read >= MOST_MEMBERS:
            break
        read += _cost(holder)
        one = (
            resizable(state, *holder, nodes, columns, now)
            if isinstance(holder, _ElasticHolder)
            else resizable_pod_gang(state, holder.gang, nodes.index, columns, now)
        )
        if isinstance(one, Resizable):
            found.append(one)
    return found


def sized_run(
    state: State,
    one: Resizable,
    constraints: Mapping[str, Constraints],
    nodes: NodeArrays,
    columns: Columns,
    now: float,
) -> SizedRun | None:
    """The gang for a choice of its size: with the work that is left, or of unknown end; None where it has no choice.

    ``constraints`` are those of each role.
    """
    reported = reported_part(one.gang, one.reservation, state.members(one.gang).values(), state.pieces)
    if one.end is None or (not reported and has_used_up_its_work(one.gang, now)):
        return _open_ended_run(state, one, constraints, columns, now)
    return _elastic_run(state, _Ending(one, one.end, reported), constraints, nodes, columns, now)


def _open_ended_run(
    state: State, one: Resizable, constraints: Mapping[str, Constraints], columns: Columns, now: float
) -> OpenEndedRun | None:
    """The gang of unknown end; None where its size can't stay."""
    size, first, role = len(one.nodes), one.gang.status.first_size, one.varying.role
    if not role.sizes.has(size):
        return None
    return OpenEndedRun(
        key=one.gang.key,
        priority=one.priority,
        sizes=_possible_sizes(state, one),
        least=size if first is None else first - one.fixed_size,
        request=columns.asked(role.request),
        nodes=one.nodes,
        end=math.inf if one.end is None else one.end,
        terms=one.elastic.terms(one.gang.status.last_change, one.gang.status.failed_joins),
        asked=one.asked,
        changed=_changed(one.gang, now),
        constraints=constraints[role.name],
        fixed=_fixed(one, constraints, columns),
        deadline=one.gang.deadline,
        keeps=one.elastic.keeps_members,
        in_order=one.in_order,
        grace=_grace(one),
        unit_times=_unit_times(one),
    )


def _elastic_run(
    state: State,
    ending: _Ending,
    constraints: Mapping[str, Constraints],
    nodes: NodeArrays,
    columns: Columns,
    now: float,
) -> ElasticRun | None:
    """The gang with the work that is left; None where another size can't be compared.

    That is the work that members have not reported as done; if they report nothing, the rest of the expected run time.
    Pieces that are dealt while members run are known to be done or not.
    """
    one, end, reported = ending
    pieces = _pieces_left(state, one)
    role, working = one.varying.role, one.working_nodes
    learned = state.past_runs.in_force(one.gang)
    work = remaining_work(_with_progress(one.gang, reported), learned)
    if work is None or nodes.kinds.factors(learned) or not role.sizes.has(len(one.nodes)):
        return None
    seconds = work.float_time(len(working)) * float(nodes.slowdown[working].max())
    left = 1.0 if reported or pieces else min(1.0, (end - now) / seconds)
    if left <= 0 or pieces == 0:
        return None
    return ElasticRun(
        key=one.gang.key,
        created=one.gang.created,
        sizes=_possible_sizes(state, one),
        request=columns.asked(role.request),
        work=work,
        left=left,
        pieces=pieces,
        nodes=one.nodes,
        end=end,
        terms=one.elastic.terms(one.gang.status.last_change, one.gang.status.failed_joins),
        asked=one.asked,
        changed=_changed(one.gang, now),
        constraints=constraints[role.name],
        fixed=_fixed(one, constraints, columns),
        deadline=one.gang.deadline,
        keeps=one.elastic.keeps_members,
        in_order=one.in_order,
        grace=_grace(one),
    )


def _unit_times(one: Resizable) -> tuple[UnitTime, ...]:
    """The unit times that were measured, by the number of members that may change; none if its end was expected."""
    if one.end is not None:
        return ()
    beside = one.fixed_size
    return tuple(UnitTime(size - beside, time) for size, time in one.gang.status.unit_times if size > beside)


def _fixed(one: Resizable, constraints: Mapping[str, Constraints], columns: Columns) -> tuple[FixedMembers, ...]:
    """The members of the roles whose size does not vary."""
    return tuple(
        FixedMembers(SeatKind(constraints[role.name], columns.asked(role.request)), nodes, role.load.is_work)
        for role, nodes in one.fixed
    )


def _grace(one: Resizable) -> float:
    """After how many seconds the members that it gives up are gone: above 0, so no plan starts a gang there at once."""
    notice = LONGEST_NOTICE_SECONDS if one.elastic.has_notice else 0.0
    return max(one.grace, _SHORTEST_GRACE_SECONDS) + notice


def _changed(gang: GangFact, now: float) -> float:
    """When its size last changed; a time in the future, after the clock was set back, counts as long past."""
    changed = gang.status.resized_at
    return -math.inf if changed is None or changed > now else changed


def _in_turn(holders: Sequence[_AnyHolder], now: float) -> Sequence[_AnyHolder]:
    """The gangs in the order of reading. If one step can't read all, other gangs come first in each minute."""
    *before, total = accumulate(map(_cost, holders), initial=0)
    turns = -(-total // MOST_MEMBERS)
    if turns <= 1:
        return holders
    first = bisect_left(before, int(now // _TURN_SECONDS) % turns * MOST_MEMBERS)
    return [*holders[first:], *holders[:first]]


def _cost(one: _AnyHolder) -> int:
    return one.size + _COST_OF_GANG


def _elastic_holders(state: State) -> Iterator[_ElasticHolder]:
    """The gangs that hold nodes and say that their size may change.

    Gangs with host ports or disks are left out: their columns exist for few gangs, and every plan would have them.
    """
    for key, reservation in state.reservations.items():
        gang = state.gangs.get(key)
        if not isinstance(gang, AcceptedGang) or gang.spec.elastic is None:
            continue
        if not has_own_columns(gang.spec):
            yield _ElasticHolder(gang, reservation)


def _with_progress(gang: GangFact, part: str) -> GangFact:
    return replace(gang, status=replace(gang.status, progress=part)) if part else gang


def _pieces_left(state: State, one: Resizable) -> int | None:
    return pieces_left(one.gang, state.pieces, state.members(one.gang).values())


def _possible_sizes(state: State, one: Resizable) -> Sizes:
    """The sizes that quotas allow, and in which each member gets a piece of those that are left; the present size."""
    sizes, size, pieces = _within_quotas(state, one), len(one.nodes), _pieces_left(state, one)
    if pieces is None or max(pieces, size) >= sizes.maximum:
        return sizes
    return replace(sizes, maximum=max(pieces, size))


def _within_quotas(state: State, one: Resizable) -> Sizes:
    """The sizes that quotas allow, counting what the members take already, and the present size.

    A quota that was lowered may allow only sizes below the present one, or none.
    """
    size, sizes = len(one.nodes), one.varying.role.sizes
    limits, place = QuotaBounds(state).limits(one.gang), one.spec.roles.index(one.varying.role)
    spare = [limit.left // limit.each[place] for limit in limits if limit.each[place]]
    most = size + min(spare, default=sizes.maximum)
    if most >= size:
        return sizes if most >= sizes.maximum else replace(sizes, maximum=most)
    smaller = sizes.between(1, most).tolist()
    return replace(sizes, minimum=min([*smaller, size]), maximum=size, allowed=(*smaller, size))
