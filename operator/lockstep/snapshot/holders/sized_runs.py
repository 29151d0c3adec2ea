"""Gangs that run and may change their size, as the engine needs them for a choice of the sizes."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

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
from lockstep.belief.gangs.age import queued_since
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
# The last change of a gang that is not ready counts as made at least this long after now. So the same plan never
# changes its size.
_SHORTEST_RESTART_SECONDS = 1.0


class _WorkLeft(NamedTuple):
    """The ``work``, the ``part`` of it that is left, and its expected ``end``.

    ``pieces`` is the number of pieces that are left; None if the work has no pieces.
    """

    work: SerialWork | ProfileWork
    part: float
    pieces: int | None
    end: float


class SizedRuns:
    """Describes running gangs to the engine, at one time and on the nodes of one snapshot.

    The amounts that growing gangs take of quotas are added up once for all of these gangs.
    """

    def __init__(self, state: State, nodes: NodeArrays, columns: Columns, now: float) -> None:
        self._state = state
        self._nodes = nodes
        self._columns = columns
        self._now = now
        self._bounds = QuotaBounds(state)

    def of(self, one: Resizable, constraints: Mapping[str, Constraints]) -> SizedRun | None:
        """The gang with the work that is left, or as a gang of unknown end; None if no other size can be chosen.

        A gang that is not ready keeps its size in this plan. If its end is known, the plan counts on its later changes
        of size. ``constraints`` has the constraints of each role.
        """
        members = self._state.members(one.gang).values()
        reported = reported_part(one.gang, one.reservation, members, self._state.pieces)
        if one.end is None or (not reported and has_used_up_its_work(one.gang, self._now)):
            return self._open_ended_run(one, constraints) if one.is_ready else None
        left = self._work_left(one, reported, one.end)
        return None if left is None else self._elastic_run(one, left, constraints)

    def _open_ended_run(self, one: Resizable, constraints: Mapping[str, Constraints]) -> OpenEndedRun | None:
        """The gang as a gang of unknown end; None if its spec does not allow its present size."""
        size, first, role = len(one.nodes), one.gang.status.first_size, one.varying.role
        if not role.sizes.has(size):
            return None
        return OpenEndedRun(
            key=one.gang.key,
            priority=one.priority,
            sizes=self._possible_sizes(one),
            least=size if first is None else first - one.fixed_size,
            request=self._columns.asked(role.request),
            nodes=one.nodes,
            end=math.inf if one.end is None else one.end,
            terms=self._state.change_times.terms_by(one.elastic, one.gang),
            asked=one.asked,
            changed=_changed(one.gang, self._now),
            constraints=constraints[role.name],
            fixed=_fixed(one, constraints, self._columns),
            deadline=one.gang.deadline,
            keeps=one.elastic.keeps_members,
            in_order=one.in_order,
            grace=_grace(one),
            interruptible=one.spec.interruptible,
            unit_times=_unit_times(one),
        )

    def _elastic_run(self, one: Resizable, left: _WorkLeft, constraints: Mapping[str, Constraints]) -> ElasticRun:
        """The gang with the work that is left."""
        role, terms = one.varying.role, self._state.change_times.terms_by(one.elastic, one.gang)
        ready_at = self._now + max(terms.restart_time, _SHORTEST_RESTART_SECONDS)
        return ElasticRun(
            key=one.gang.key,
            created=queued_since(one.gang, self._now),
            sizes=self._possible_sizes(one),
            request=self._columns.asked(role.request),
            work=left.work,
            left=left.part,
            pieces=left.pieces,
            priority=one.priority,
            nodes=one.nodes,
            end=left.end,
            terms=terms,
            asked=one.asked,
            changed=_changed(one.gang, self._now) if one.is_ready else ready_at,
            constraints=constraints[role.name],
            fixed=_fixed(one, constraints, self._columns),
            deadline=one.gang.deadline,
            keeps=one.elastic.keeps_members,
            in_order=one.in_order,
            grace=_grace(one),
            interruptible=one.spec.interruptible,
        )

    def _work_left(self, one: Resizable, reported: str, end: float) -> _WorkLeft | None:
        """The work that members have not ``reported`` as done; None if nothing is left, or sizes can't be compared.

        If members report nothing, the work that is left takes the rest of the expected run time: from now to the
        ``end``. Pieces that are dealt while members run are known to be done or not.
        """
        role, pieces, working = one.varying.role, self._pieces_left(one), one.working_nodes
        learned = self._state.past_runs.in_force(one.gang)
        work = remaining_work(_with_progress(one.gang, reported), learned)
        if work is None or self._nodes.kinds.factors(learned) or not role.sizes.has(len(one.nodes)):
            return None
        seconds = work.float_time(len(working)) * float(self._nodes.slowdown[working].max())
        part = 1.0 if reported or pieces else min(1.0, (end - self._now) / seconds)
        return None if part <= 0 or pieces == 0 else _WorkLeft(work, part, pieces, end)

    def _possible_sizes(self, one: Resizable) -> Sizes:
        """The sizes that quotas and the work allow and at which each member gets a piece, and the present size."""
        sizes, size, pieces = _with_run_times(one, self._within_quotas(one)), len(one.nodes), self._pieces_left(one)
        if pieces is None or max(pieces, size) >= sizes.maximum:
            return sizes
        return replace(sizes, maximum=max(pieces, size))

    def _pieces_left(self, one: Resizable) -> int | None:
        return pieces_left(one.gang, self._state.pieces, self._state.members(one.gang).values())

    def _within_quotas(self, one: Resizable) -> Sizes:
        """The sizes that quotas allow, and the present size. The amounts of the present members count as free.

        If a quota was lowered, it may allow only smaller sizes, or none.
        """
        size, sizes = len(one.nodes), one.varying.role.sizes
        limits, place = self._bounds.limits(one.gang), one.spec.roles.index(one.varying.role)
        spare = [limit.left // limit.each[place] for limit in limits if limit.each[place]]
        most = size + min(spare, default=sizes.maximum)
        if most >= size:
            return sizes if most >= sizes.maximum else replace(sizes, maximum=most)
        smaller = sizes.between(1, most).tolist()
        return replace(sizes, minimum=min([*smaller, size]), maximum=size, allowed=(*smaller, size))


def _with_run_times(one: Resizable, sizes: Sizes) -> Sizes:
    """The sizes for which the work has a run time, and the present size: a profile has none outside its range."""
    work, size = one.spec.work, len(one.nodes)
    if not isinstance(work, ProfileWork) or not one.varying.role.load.is_work:
        return sizes
    others, listed = len(one.working_nodes) - size, sizes.between(1, sizes.maximum)
    is_able = np.isfinite(work.float_times(sizes.maximum + others)[others:][listed - 1]) | (listed == size)
    if is_able.all():
        return sizes
    able = tuple(listed[is_able].tolist())
    return replace(sizes, minimum=able[0], maximum=able[-1], allowed=able)


def _unit_times(one: Resizable) -> tuple[UnitTime, ...]:
    """The measured unit times by the size of the varying role; none for a gang with an expected end."""
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
    """The seconds until members that the gang gives up are gone.

    The number is above 0, so that no plan starts another gang in their place at once.
    """
    notice = LONGEST_NOTICE_SECONDS if one.elastic.has_notice else 0.0
    return max(one.grace, _SHORTEST_GRACE_SECONDS) + notice


def _changed(gang: GangFact, now: float) -> float:
    """When the gang's size last changed; -infinity if never, or if the clock was set back since then."""
    changed = gang.status.resized_at
    return -math.inf if changed is None or changed > now else changed


def _with_progress(gang: GangFact, part: str) -> GangFact:
    return replace(gang, status=replace(gang.status, progress=part)) if part else gang
