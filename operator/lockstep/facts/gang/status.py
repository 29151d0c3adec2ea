"""The status of a gang as a fact: what the operator last wrote."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule import Members, UnitTime
from lockstep.facts.elastic import LastChange, NextSize
from lockstep.facts.gang.after import Predecessor, Recorded, Satisfaction
from lockstep.facts.gang.rejection import Rejected
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.piece_states import PieceCounts
from lockstep.facts.pods.pace import PaceStatus
from lockstep.facts.reasons import Condition, Reason


class ConditionFact(NamedTuple):
    """One entry of ``status.conditions``."""

    type: str
    status: str
    reason: str
    message: str
    observed_generation: int
    last_transition: float


class WorkSource(StrEnum):
    """Which run times a plan was made with: those that the spec states, or learned ones."""

    STATED = "Stated"
    LEARNED = "Learned"


class WorkUsed(NamedTuple):
    """Which run times a plan was made with, and why."""

    source: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GangStatus:
    """The status of a GangJob or Gang: what the operator last wrote, which is also its write-ahead log.

    The write that reserves the members sets ``reserved_at``. The release of the members and the end of the gang remove
    it, and so does the placement of a Gang. While ``reserved_at`` is set, pods of ``attempt`` on the nodes of
    ``members`` may exist. ``ranks`` are those of the ``members``, as text; '' if they have no gap. ``succeeded_ranks``
    are the ranks whose members have succeeded in the attempt, whether their pods still exist or not. ``restarts`` is
    the number of restarts that count; the next attempt may start at ``restart_at``. ``active_since`` is when the gang
    was first placed after its creation or its last resumption.

    ``plan`` is the start estimate that the gang had while it waited; it stays during the attempt that follows.
    ``waited_seconds`` is the age of the gang while this age stands still. Otherwise the age counts from
    ``queued_since``, or from the gang's creation if that is None. See ``belief/gangs/age.py``. ``after`` has the record
    of each predecessor that was observed. ``rejected`` is given while the gang is refused because kubelets reject its
    members.

    ``progress`` is the part of the work that members have reported, as text. ``pieces`` counts the pieces that members
    have reported to a dealer. ``past_runs`` are the runs of the gang's template that were known when it succeeded, as
    text. ``work_used`` is given for the plan of a gang that learns. ``pace`` says how far members of the attempt are
    paced, and their unpaced CPU. It is written before the first member is paced.

    ``next_size`` is given while the gang changes its size. The last change was at ``resized_at``, and ``last_change``
    says how long it took. ``first_size`` is the size with which an elastic gang last started without such a change.
    ``work_done`` is the part of the work that earlier sizes have done, by expected run times, as text.
    ``member_changes`` counts how often members of the attempt have joined or left while others ran. ``failed_joins``
    counts how often in a row members could not join. ``unit_times`` are the measured times of the whole work at sizes
    at which a gang without ``work`` has run. The last measured one comes last.
    """

    conditions: tuple[ConditionFact, ...] = ()
    attempt: int = 0
    size: int | None = None
    start: float | None = None
    expected_finish: float | None = None
    effective_speedup: str | None = None
    member_price: str | None = None
    run_time_factor: str | None = None
    members: tuple[Members, ...] = ()
    reserved_at: float | None = None
    first_planned_start: float | None = None
    started_at: float | None = None
    finished_at: float | None = None
    succeeded_ranks: str = ""
    restarts: int = 0
    restart_at: float | None = None
    active_since: float | None = None
    progress: str = ""
    plan: StartEstimate | None = None
    speedup_reached: str | None = None
    past_runs: str = ""
    work_used: WorkUsed | None = None
    pace: PaceStatus | None = None
    rejected: Rejected | None = None
    queued_since: float | None = None
    waited_seconds: int | None = None
    next_size: NextSize | None = None
    resized_at: float | None = None
    last_change: LastChange | None = None
    first_size: int | None = None
    work_done: str = ""
    ranks: str = ""
    member_changes: int = 0
    failed_joins: int = 0
    unit_times: tuple[UnitTime, ...] = ()
    after: tuple[Recorded, ...] = ()
    pieces: PieceCounts | None = None

    def condition(self, kind: str) -> ConditionFact | None:
        """The condition of that type, if it has been written."""
        return next((c for c in self.conditions if c.type == kind), None)

    def is_true(self, kind: str) -> bool:
        """Whether the condition of that type exists and is True."""
        condition = self.condition(kind)
        return condition is not None and condition.status == "True"

    @property
    def end(self) -> ConditionFact | None:
        """The condition by which the gang is over; None while it is not. Complete and Failed are never both True."""
        ends = (self.condition(kind) for kind in (Condition.COMPLETE, Condition.FAILED))
        return next((one for one in ends if one is not None and one.status == "True"), None)

    def recorded(self, asked: Predecessor) -> Recorded | None:
        """The record of that predecessor; None if there is none."""
        return next((one for one in self.after if (one.kind, one.name) == (asked.kind, asked.name)), None)

    def answer(self, asked: Predecessor) -> Satisfaction:
        """Whether the outcome for which the gang waits has happened, according to the record of this predecessor."""
        known = self.recorded(asked)
        return Satisfaction.OPEN if known is None else known.answer(asked.when)

    @property
    def done(self) -> float:
        """The part of the work that is done, from 0 to 1: as members report it, or else by expected run times."""
        return float(self.progress or self.work_done or 0)

    @property
    def measured_sizes(self) -> set[int]:
        """The sizes for which a unit time was measured."""
        return {one.size for one in self.unit_times}

    @property
    def ran_before(self) -> bool:
        """Whether the gang was placed before its present start. The time since its creation then includes a run."""
        return self.active_since is not None and self.start is not None and self.active_since < self.start

    @property
    def is_being_undone(self) -> bool:
        """Whether the attempt in the status is being torn down."""
        placed = self.condition(Condition.PLACED)
        return placed is not None and placed.reason == Reason.UNDOING

    @property
    def noticed_size(self) -> NextSize | None:
        """The next size, if members have notice of it and go on working; None otherwise."""
        following = self.next_size
        return following if self._goes_on and following is not None and following.begins_at is not None else None

    @property
    def joining_size(self) -> NextSize | None:
        """The next size, if more members are to join those that run; None otherwise."""
        following = self.next_size
        return following if self._goes_on and following is not None and following.begins_at is None else None

    @property
    def _goes_on(self) -> bool:
        """Whether the members of the attempt go on working."""
        return self.reserved_at is not None and not self.is_being_undone
