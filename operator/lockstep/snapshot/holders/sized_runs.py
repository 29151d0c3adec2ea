"""A gang that runs and may change its size, as the engine needs it for a choice of the size."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from coschedule import (
    Constraints,
    ElasticRun,
    FixedMembers,
    OpenEndedRun,
    ProfileWork,
    SeatKind,
    SerialWork,
    SizedRun,
    Sizes,
    UnitTime,
)
from lockstep.belief.gangs.piece_reads import pieces_left
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.belief.run_times.reported_work import reported_part
from lockstep.belief.run_times.work_done import has_used_up_its_work
from lockstep.belief.state import State
from lockstep.facts.elastic import LONGEST_NOTICE_SECONDS
from lockstep.facts.gang.gang import GangFact
from lockstep.snapshot.holders.resizable import Resizable
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.quotas.quota_bounds import QuotaBounds

_SHORTEST_GRACE_SECONDS = 1.0


class _WorkLeft(NamedTuple):
    """The part of the ``work`` that is left, as share or in ``pieces``, and when it is expected to be done."""

    work: SerialWork | ProfileWork
    part: float
    pieces: int | None
    end: float


def sized_run(
    state: State,
    one: Resizable,
    constraints: Mapping[str, Constraints],
    nodes: NodeArrays,
    columns: Columns,
    now: float,
) -> SizedRun | None:
    """The gang with the work that is left, or as one of unknown end; None if no other size can be chosen.

    ``constraints`` are those of each role.
    """
    reported = reported_part(one.gang, one.reservation, state.members(one.gang).values(), state.pieces)
    if one.end is None or (not reported and has_used_up_its_work(one.gang, now)):
        return _open_ended_run(state, one, constraints, columns, now)
    left = _work_left(state, one, reported, nodes, (now, one.end))
    return None if left is None else _elastic_run(state, one, left, constraints, columns, now)


def _open_ended_run(
    state: State, one: Resizable, constraints: Mapping[str, Constraints], columns: Columns, now: float
) -> OpenEndedRun | None:
    """The gang as one of unknown end; None if it may not keep its size."""
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
        terms=state.change_times.terms_by(one.elastic, one.gang),
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


def _work_left(
    state: State, one: Resizable, reported: str, nodes: NodeArrays, rest: tuple[float, float]
) -> _WorkLeft | None:
    """The work that members have not ``reported`` as done; None if run times of other sizes can't be compared.

    If members report nothing, the work is left that takes the ``rest`` of the expected run time: from now to the end.
    Pieces that are dealt while members run are known to be done or not.
    """
    (now, end), role = rest, one.varying.role
    pieces, working = _pieces_left(state, one), one.working_nodes
    learned = state.past_runs.in_force(one.gang)
    work = remaining_work(_with_progress(one.gang, reported), learned)
    if work is None or nodes.kinds.factors(learned) or not role.sizes.has(len(one.nodes)):
        return None
    seconds = work.float_time(len(working)) * float(nodes.slowdown[working].max())
    part = 1.0 if reported or pieces else min(1.0, (end - now) / seconds)
    return None if part <= 0 or pieces == 0 else _WorkLeft(work, part, pieces, end)


def _elastic_run(
    state: State,
    one: Resizable,
    left: _WorkLeft,
    constraints: Mapping[str, Constraints],
    columns: Columns,
    now: float,
) -> ElasticRun:
    """The gang with the work that is left."""
    role = one.varying.role
    return ElasticRun(
        key=one.gang.key,
        created=one.gang.created,
        sizes=_possible_sizes(state, one),
        request=columns.asked(role.request),
        work=left.work,
        left=left.part,
        pieces=left.pieces,
        nodes=one.nodes,
        end=left.end,
        terms=state.change_times.terms_by(one.elastic, one.gang),
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
    """The measured unit times, by the number of members that may change; none for a gang with an expected end."""
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
    """The seconds until members that it gives up are gone. Above 0, so that no plan starts a gang there at once."""
    notice = LONGEST_NOTICE_SECONDS if one.elastic.has_notice else 0.0
    return max(one.grace, _SHORTEST_GRACE_SECONDS) + notice


def _changed(gang: GangFact, now: float) -> float:
    """When its size last changed. A time in the future counts as long past: the clock was set back."""
    changed = gang.status.resized_at
    return -math.inf if changed is None or changed > now else changed


def _with_progress(gang: GangFact, part: str) -> GangFact:
    return replace(gang, status=replace(gang.status, progress=part)) if part else gang


def _pieces_left(state: State, one: Resizable) -> int | None:
    return pieces_left(one.gang, state.pieces, state.members(one.gang).values())


def _possible_sizes(state: State, one: Resizable) -> Sizes:
    """The present size, and those that quotas allow and in which each member gets one of the pieces that are left."""
    sizes, size, pieces = _within_quotas(state, one), len(one.nodes), _pieces_left(state, one)
    if pieces is None or max(pieces, size) >= sizes.maximum:
        return sizes
    return replace(sizes, maximum=max(pieces, size))


def _within_quotas(state: State, one: Resizable) -> Sizes:
    """The present size, and those that quotas allow. What the members have already counts as free.

    A quota that was lowered may allow only smaller sizes, or none.
    """
    size, sizes = len(one.nodes), one.varying.role.sizes
    limits, place = QuotaBounds(state).limits(one.gang), one.spec.roles.index(one.varying.role)
    spare = [limit.left // limit.each[place] for limit in limits if limit.each[place]]
    most = size + min(spare, default=sizes.maximum)
    if most >= size:
        return sizes if most >= sizes.maximum else replace(sizes, maximum=most)
    smaller = sizes.between(1, most).tolist()
    return replace(sizes, minimum=min([*smaller, size]), maximum=size, allowed=(*smaller, size))
