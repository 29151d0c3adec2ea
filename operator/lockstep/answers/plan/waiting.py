"""Answers about waiting gangs: why the plan decides so, and which changes would let them start sooner."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coschedule import (
    Change,
    Decision,
    GangKey,
    Outline,
    Placement,
    RoomNow,
    SelectorDropped,
    SizeChange,
    SpeedGroup,
    Turn,
    best_by_size,
    decision_if,
    decision_of,
    last_to_have_room,
    nodes_by_speed,
    possible_changes,
    room_now,
    sizes_of,
    turn_of,
)
from lockstep.answers.plan.planned import AnsweredPlan, start_of
from lockstep.answers.plan.rules import PriceInForce
from lockstep.facts.gang.keys import is_room
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS, is_same_time
from lockstep.facts.gang.status import WorkUsed

MOST_SIZES = 16
"""The most rows of the chart of sizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRow:
    """A size, and the best run with it; ``run`` is None if the size fits nowhere."""

    size: int
    run: Outline | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Helped:
    """A change that lets the gang start sooner, and the gang's placement with this change."""

    change: Change
    placement: Placement


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingAnswer:
    """The plan's decision about a gang at ``now``, and the reasons.

    The gang does not start before ``not_before``, if given. If ``deadline`` is given, the gang gets the fewest members
    that end by then. A deadline of inf sets no time limit, but the gang gets the fewest members. ``sizes`` are some of
    its ``possible`` sizes. ``position`` is its place among ``queued`` gangs in the order of planning. ``victims`` are
    evicted for it, and ``shrinks`` are the gangs that shrink for it. ``speeds`` groups nodes by speed; it is empty if
    the gang has no placement.

    ``latest`` is the last of its nodes that gets room for it, and ``latest_of`` is the gang that then leaves this node.
    ``tried`` changes were tried. The gang would start sooner with those in ``helps``; the best comes first. Running
    gangs make ``changes`` of their sizes with this plan. If the gang asks for learned run times, ``work_used`` says
    which are used. ``nodes_requested`` is the message of its condition NodesRequested, if any. ``use_of_group`` is a
    clause about the resources that its group has used; it is '' without groups.
    """

    gang: GangKey
    now: float
    decision: Decision
    victims: tuple[GangKey, ...]
    not_before: float | None
    deadline: float | None
    price: PriceInForce
    position: int
    queued: int
    possible: int
    sizes: tuple[SizeRow, ...]
    speeds: tuple[SpeedGroup, ...]
    slowest: float | None
    latest: str | None
    latest_of: GangKey | None
    room: tuple[RoomNow, ...]
    tried: int
    helps: tuple[Helped, ...]
    changes: tuple[SizeChange, ...] = ()
    shrinks: tuple[SizeChange, ...] = ()
    work_used: WorkUsed | None = None
    nodes_requested: str = ""
    use_of_group: str = ""

    @property
    def is_best(self) -> bool:
        """Whether the chosen size is at least as good as every other size that is shown."""
        values = {row.size: row.run.value for row in self.sizes if row.run is not None}
        if not isinstance(self.decision, Placement) or self.decision.size not in values:
            return False
        return values[self.decision.size] <= min(values.values())

    @property
    def starts_now(self) -> bool:
        """Whether the gang starts now."""
        return isinstance(self.decision, Placement) and self.decision.start <= self.now


Progress = Callable[[Sequence[Change]], Iterator[Change]]
"""Yields the changes one by one, and may show progress."""


def answer_about(planned: AnsweredPlan, gang: GangKey, *, progress: Progress = iter) -> WaitingAnswer:
    """The answer about a waiting gang of the plan."""
    snapshot, made = planned.snapshot, planned.made
    decision, turn = decision_of(planned.preempting.plan, gang), turn_of(snapshot, made, gang)
    possible, at_its_turn = sizes_of(turn), decision_of(made, gang)
    shown = _shown(possible, at_its_turn.size if isinstance(at_its_turn, Placement) else None)
    latest = _latest(turn, at_its_turn)
    changes = () if _starts_now(decision, snapshot.now) else _changes(planned, gang)
    preemptions = [one for one in planned.preempting.preemptions if one.gang == gang]
    queue = [one.gang for one in made.decisions if not is_room(one.gang)]
    return WaitingAnswer(
        gang=gang,
        now=snapshot.now,
        decision=planned.as_reported(decision),
        victims=tuple(victim for one in preemptions for victim in one.victims),
        not_before=turn.earliest if turn.earliest > snapshot.now else None,
        deadline=turn.gang.deadline,
        price=planned.prices[gang],
        position=queue.index(gang) + 1,
        queued=len(queue),
        possible=len(possible),
        sizes=_rows(turn, shown),
        speeds=nodes_by_speed(turn, at_its_turn) if isinstance(at_its_turn, Placement) else (),
        slowest=_slowest(turn, at_its_turn),
        latest=latest,
        latest_of=None if latest is None else _who_leaves(planned, gang, latest, start_of(at_its_turn)),
        room=room_now(turn),
        tried=len(changes),
        helps=_helps(planned, gang, decision, progress(changes)),
        changes=planned.changes,
        shrinks=tuple(change for one in preemptions for change in one.shrinks),
    )


def _rows(turn: Turn, sizes: NDArray[np.int64]) -> tuple[SizeRow, ...]:
    runs = best_by_size(turn, sizes)
    return tuple(SizeRow(size=size, run=run) for size, run in zip(sizes.tolist(), runs, strict=True))


def _shown(sizes: NDArray[np.int64], chosen: int | None) -> NDArray[np.int64]:
    """Choose the sizes for the chart.

    They are at even distances from the smallest to the largest, and the chosen size and its neighbours are among them.
    """
    if len(sizes) <= MOST_SIZES:
        return sizes
    near = [] if chosen is None else [int(np.searchsorted(sizes, chosen)) + step for step in (-1, 0, 1)]
    inside = {index for index in near if 0 <= index < len(sizes)}
    spread = np.linspace(0, len(sizes) - 1, MOST_SIZES - len(inside)).round().astype(np.int64)
    return sizes[sorted(inside | set(spread.tolist()))]


def _slowest(turn: Turn, decision: Decision) -> float | None:
    if not isinstance(decision, Placement):
        return None
    return float(turn.snapshot.slowdown[turn.snapshot.nodes.names.index(decision.slowest)])


def _latest(turn: Turn, decision: Decision) -> str | None:
    if not isinstance(decision, Placement):
        return None
    return last_to_have_room(turn, decision, within_seconds=SAME_TIME_SECONDS)


def _who_leaves(planned: AnsweredPlan, gang: GangKey, node: str, start: float) -> GangKey | None:
    """The gang that leaves a node at that time; None if no gang does, for example if the node opens at that time."""
    number = planned.snapshot.nodes.index[node]
    running = [(one.end, one.key) for one in planned.running if number in {held.node for held in one.holds}]
    waiting = [
        (one.finish, one.gang)
        for one in planned.made.decisions
        if isinstance(one, Placement) and node in {members.node for members in one.members}
    ]
    leaving = [key for end, key in (*running, *waiting) if key != gang and is_same_time(end, start)]
    return min(leaving, default=None)


def _changes(planned: AnsweredPlan, gang: GangKey) -> tuple[Change, ...]:
    """The changes that might help the gang, without those that no user can make."""
    changes = possible_changes(planned.snapshot, planned.made, gang, running=planned.running)
    fixed = [SelectorDropped(key=key, value=value) for key, value in planned.selector]
    return tuple(change for change in changes if change not in fixed)


def _helps(planned: AnsweredPlan, gang: GangKey, decision: Decision, changes: Iterator[Change]) -> tuple[Helped, ...]:
    start = start_of(decision)
    tried = ((change, decision_if(planned.snapshot, gang, change)) for change in changes)
    helped = [
        Helped(change=change, placement=then)
        for change, then in tried
        if isinstance(then, Placement) and then.start < start
    ]
    return tuple(sorted(helped, key=lambda one: (one.placement.start, one.placement.finish)))


def _starts_now(decision: Decision, now: float) -> bool:
    return isinstance(decision, Placement) and decision.start <= now
