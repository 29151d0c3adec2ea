"""GangJobs as facts: what one asks for, and what its status says."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, NamedTuple

from coschedule import ChangeTerms, Interruptible, Members, ProfileWork, SerialWork, Sizes, UnitTime
from lockstep.facts.elastic import ElasticSpec, LastChange, NextSize
from lockstep.facts.gang.after import Predecessor, Recorded, Satisfaction
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.identity import GangIdentity
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.network import NetworkSpec
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.rejection import Rejected
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.gang.role_sizes import sizes_of
from lockstep.facts.gang.start_estimate import StartEstimate
from lockstep.facts.piece_states import PieceCounts
from lockstep.facts.pods.pace import Pace, PaceStatus
from lockstep.facts.pods.pod import NO_POD_AFFINITY
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.runs.sweep_run import SweepRun
from lockstep.facts.sizing import Sizing


class Refusal(NamedTuple):
    """Why a spec can't be obeyed: an enumerated reason and a sentence that names the field."""

    reason: Reason
    message: str


def oversize(excess: str) -> Refusal:
    """The refusal of a spec beyond the bounds of its schema; ``excess`` is a clause that names the field."""
    return Refusal(Reason.INVALID_SPEC, f"{excess}. Delete this GangJob, and create one within the bounds.")


Verdict = Mapping[str, Needs] | Refusal
"""What admission makes of members, by the name of their role, as far as that is known; or why it refuses them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GangSpec:
    """What a GangJob asks for. It has at least one role; ``deadline_seconds`` counts from the submission.

    Without ``network`` the members need not find each other. Runs with the same ``run_template`` are expected to take
    equally long at the same size; it is empty without ``work``. ``one_per`` is a label with a different value on each
    member's node. ``all_in`` is a label with the same value on all these nodes. Both may be empty. Without ``sizing``,
    the operator's sizing counts. A gang that ``learns`` is planned with the law of earlier runs, if that is better than
    ``work``. ``interruptible`` and ``checkpoint_interval``, in seconds, are as in ``PendingGang``. Without ``elastic``,
    it keeps the size with which it starts.

    With ``dealing`` a dealer deals its pieces while it runs.

    ``excess`` says what exceeds the bounds of the schema; empty for most gangs. Such a gang held nodes when this was
    found. It runs to its end, and is not planned again. ``awaits_pods`` says what keeps a Gang from being planned while
    too few of its pods wait for a node; empty for GangJobs. ``awaits_since``: when the first pod was created of those
    that are too few; None if there is none. ``has_bound_pods``: other pods of the Gang are on nodes.
    ``is_room``: its members are pods that come later, so room is kept for them, and nothing of it is ever started.
    ``takes_room``: it is such room, or its pods take such room. Room has ``most_priority`` at most, whatever its class:
    that of the pods that run. Unless it ``preempts``, no gang gives way to it, whatever its class allows.
    """

    roles: tuple[RoleSpec, ...]
    work: SerialWork | ProfileWork | None
    deadline_seconds: float | None
    priority_class: str
    network: NetworkSpec | None = None
    one_per: str = ""
    all_in: str = ""
    sizing: Sizing | None = None
    run_template: str = ""
    learns: bool = False
    pace: Pace = Pace.NONE
    interruptible: Interruptible = Interruptible.NEVER
    checkpoint_interval: float = math.inf
    elastic: ElasticSpec | None = None
    excess: str = ""
    awaits_pods: str = ""
    awaits_since: float | None = None
    has_bound_pods: bool = False
    is_room: bool = False
    takes_room: bool = False
    most_priority: int | None = None
    preempts: bool = True
    dealing: DealingSpec | None = None

    @property
    def minimum(self) -> int:
        """The fewest members of all roles together."""
        return sum(role.sizes.minimum for role in self.roles)

    @property
    def maximum(self) -> int:
        """The most members of all roles together."""
        return sum(role.sizes.maximum for role in self.roles)

    @property
    def least_working(self) -> int:
        """The fewest members that do a part of the work."""
        return sum(role.sizes.minimum for role in self.roles if role.load.is_work)

    @property
    def most_working(self) -> int:
        """The most members that do a part of the work."""
        return sum(role.sizes.maximum for role in self.roles if role.load.is_work)

    @property
    def needs(self) -> tuple[Needs, ...]:
        """What a member of each role is planned with."""
        return tuple(role.needs for role in self.roles)

    @property
    def is_changed_by_admission(self) -> bool:
        """Whether members of a role are planned as admission makes them, not as its template says."""
        return any(role.written is not None for role in self.roles)

    @property
    def minds_pods(self) -> bool:
        """Whether it matters to a member which pods are around it."""
        return bool(self.one_per or self.all_in) or any(role.pod_affinity != NO_POD_AFFINITY for role in self.roles)

    @property
    def keeps_members(self) -> bool:
        """Whether members come and go while the others run."""
        return self.elastic is not None and self.elastic.keeps_members

    def working(self, members: Iterable[Members]) -> int:
        """How many of these members do a part of the work."""
        idle = {role.name for role in self.roles if not role.load.is_work}
        return sum(entry.count for entry in members if entry.role not in idle)

    def role(self, name: str) -> RoleSpec | None:
        """The role of that name."""
        return next((role for role in self.roles if role.name == name), None)


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
    """A GangJob's status: what the operator last wrote, which is also its write-ahead log.

    ``reserved_at`` is set by the write that reserves the members, and removed by their release or the gang's end. While
    it is set, the pods of ``attempt`` on ``members`` may exist. ``succeeded_ranks`` are the ranks of the attempt that
    succeeded, whether their pods still exist or not. ``pace`` has how far the members of the attempt are paced, and
    their unpaced CPU. It is written before the first member is paced.

    ``restarts`` is the number of restarts that count; the next attempt may start at ``restart_at``. ``active_since`` is
    when the gang was first placed after its creation or its last resumption. ``progress`` is the part of the work that
    members have reported, as text. ``past_runs`` are the known runs of its template when it succeeded, as text.

    ``plan`` is the start estimate from when the gang waited; it stays during the attempt that follows. ``work_used`` is
    given for the plan of a gang that learns. ``rejected`` is given while the gang is refused because kubelets reject
    its members. ``waited_seconds`` is the gang's age while the age stands still. Otherwise the age counts from
    ``queued_since``, or from the gang's creation if that is None. See ``belief/gangs/age.py``.

    ``next_size`` is given while the gang changes its size, which it last did at ``resized_at``. ``last_change`` says
    how long that took. ``first_size`` is the size with which an elastic gang last started without such a change.
    ``work_done`` is the part of the work that earlier sizes have done, by expected run times, as text. ``ranks`` are
    those of the ``members``, as text; '' if they have no gap. ``member_changes`` is how often members of the attempt
    have come or gone while the others ran. ``failed_joins`` is how often in a row members could not join them.
    ``unit_times`` are those of sizes at which a gang without ``work`` has run, the one that was last measured last.
    ``after`` has what is known of each predecessor that was seen.
    ``pieces`` are those that members have reported to a dealer.
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
        """How the gang has ended, well or not; None while it has not. Only one of the two conditions is ever True."""
        ends = (self.condition(kind) for kind in (Condition.COMPLETE, Condition.FAILED))
        return next((one for one in ends if one is not None and one.status == "True"), None)

    def recorded(self, asked: Predecessor) -> Recorded | None:
        """What is recorded of that predecessor; None while it is missing."""
        return next((one for one in self.after if (one.kind, one.name) == (asked.kind, asked.name)), None)

    def answer(self, asked: Predecessor) -> Satisfaction:
        """Whether that predecessor is what the gang waits for, by the record."""
        known = self.recorded(asked)
        return Satisfaction.OPEN if known is None else known.answer(asked.when)

    @property
    def done(self) -> float:
        """The part of the work that is done, from 0 to 1: as members have reported, else by expected run times."""
        return float(self.progress or self.work_done or 0)

    @property
    def measured_sizes(self) -> set[int]:
        """The sizes at which it is known how fast its work gets done."""
        return {one.size for one in self.unit_times}

    @property
    def is_being_undone(self) -> bool:
        """Whether the attempt in the status is being undone."""
        placed = self.condition(Condition.PLACED)
        return placed is not None and placed.reason == Reason.UNDOING

    @property
    def noticed_size(self) -> NextSize | None:
        """The next size of which members have notice while they go on working; None where there is none."""
        following = self.next_size
        return following if self._goes_on and following is not None and following.begins_at is not None else None

    @property
    def joining_size(self) -> NextSize | None:
        """The size that the gang will have once more members have joined those that run; None where none join."""
        following = self.next_size
        return following if self._goes_on and following is not None and following.begins_at is None else None

    @property
    def _goes_on(self) -> bool:
        """Whether the members of the attempt go on working."""
        return self.reserved_at is not None and not self.is_being_undone


@dataclass(frozen=True, slots=True, kw_only=True)
class _GangBase(GangIdentity):
    """What is known of a gang whether its spec is obeyed or not; ``run`` if it is a run of a sweep.

    ``user`` is the user who created it, as its annotation says; empty without one.
    """

    policies: Policies = field(default_factory=Policies)
    status: GangStatus = field(default_factory=GangStatus)
    run: SweepRun | None = None
    user: str = ""

    def asks_the_same_as(self, before: "GangFact") -> bool:
        """Whether the spec and the deletion are as in ``before``, so that the planner sees no difference.

        What a Gang asks for also depends on its pods, and what a queued gang may have on its quota.
        """
        is_same = (self.generation, self.is_deleting) == (before.generation, before.is_deleting)
        is_same = is_same and self.policies.after == before.policies.after
        is_same = is_same and self.policies.is_suspended == before.policies.is_suspended
        return is_same and (not self._depends_on_others or self.content == before.content)

    def with_spec(self, spec: GangSpec) -> "AcceptedGang":
        """The gang, accepted with that spec."""
        return AcceptedGang(**self._common(), spec=spec)

    def refused(self, refusal: Refusal) -> "RefusedGang":
        """The gang, refused."""
        return RefusedGang(**self._common(), refusal=refusal)

    @property
    def _depends_on_others(self) -> bool:
        return is_pod_gang(self.key) or bool(self.policies.queue)

    @property
    def content(self) -> "GangSpec | Refusal | None":
        """The spec, or why it is refused."""
        return None

    @property
    def unmet(self) -> tuple[Predecessor, ...]:
        """The predecessors that it still waits for, by its status, and those that it waits for in vain."""
        return tuple(one for one in self.policies.after if self.status.answer(one) is not Satisfaction.MET)

    def _common(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(_GangBase)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedGang(_GangBase):
    """A gang whose spec was understood: only such gangs are planned and get members."""

    spec: GangSpec
    refusal: None = None

    @property
    def content(self) -> GangSpec:
        """The spec."""
        return self.spec

    @property
    def deadline(self) -> float | None:
        """The time by which it wants to end, with the fewest members that can end by then; None without a deadline."""
        return None if self.spec.deadline_seconds is None else self.created + self.spec.deadline_seconds

    @property
    def change_terms(self) -> ChangeTerms | None:
        """The terms on which it may change its size; None if it keeps its size."""
        return (
            None
            if self.spec.elastic is None
            else self.spec.elastic.terms(self.status.last_change, self.status.failed_joins)
        )

    def planned_sizes(self, role: RoleSpec) -> Sizes:
        """The sizes with which a role may start. If ``elastic.size`` is given, it decides the size of the first start.

        It is the number of members of all roles together. A gang that has had nodes may start with any size, and then
        changes to that one. So it need not wait for room for that very size.
        """
        return role.sizes if self.status.attempt else self.wanted_sizes(role)

    def wanted_sizes(self, role: RoleSpec) -> Sizes:
        """The sizes that a role is to have in the end: all that are allowed, or the one that ``elastic.size`` gives."""
        asked = None if self.spec.elastic is None else self.spec.elastic.size
        return role.sizes if asked is None else (sizes_of(self.spec.roles, asked) or {}).get(role.name, role.sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedGang(_GangBase):
    """A gang whose spec can't be obeyed, or whose members admission refuses; its policies and status count."""

    refusal: Refusal
    spec: None = None

    @property
    def content(self) -> Refusal:
        """Why the spec is refused."""
        return self.refusal


GangFact = AcceptedGang | RefusedGang
"""One GangJob."""
