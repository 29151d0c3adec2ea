"""GangJobs and Gangs as facts: what a gang asks for, or why its spec is refused."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from coschedule import Interruptible, Members, ProfileWork, SerialWork, Sizes
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.after import Predecessor, Satisfaction
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.identity import GangIdentity
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.network import NetworkSpec
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.gang.role_sizes import fewest_with_time, sizes_of
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pace import Pace
from lockstep.facts.pods.pod import NO_POD_AFFINITY
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.runs.sweep_run import SweepRun
from lockstep.facts.sizing import Sizing


class Refusal(NamedTuple):
    """Why a spec can't be obeyed: an enumerated reason and a sentence that names the field."""

    reason: Reason
    message: str


def oversize(excess: str) -> Refusal:
    """The refusal of a spec that exceeds the bounds of its schema; ``excess`` is a clause that names the field."""
    return Refusal(Reason.INVALID_SPEC, f"{excess}. Delete this GangJob, and create one within the bounds.")


Verdict = Mapping[str, Needs] | Refusal
"""The answer of admission to members: their needs after admission by name of role, as far as known, or a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GangSpec:
    """The spec of a GangJob, or of a Gang with its pods. There is at least one role.

    ``deadline_seconds`` counts from the submission. Without ``network``, members need not find each other. The nodes of
    members must have different values of the label ``one_per``, and the same value of the label ``all_in``. Both may be
    empty. Without ``sizing``, the operator's sizing counts. ``interruptible`` and ``checkpoint_interval``, in seconds,
    are as in ``PendingGang``. Without ``elastic``, the gang keeps the size with which it starts. With ``dealing``, a
    dealer deals its pieces while it runs.

    Runs with the same ``run_template`` probably take equally long at the same size; it is empty without ``work``. A
    gang that ``learns`` is planned with the law of earlier runs if that is better than ``work``.

    ``excess`` says what exceeds the bounds of the schema; it is empty for most gangs. If it is not empty, the gang
    already had nodes when the excess was found. Such a gang runs to its end, and is not planned again.

    The remaining fields concern Gangs. ``awaits_pods`` says why the Gang is not planned while too few of its pods wait
    for a node. ``awaits_since`` is when the first of these pods was created; None if none waits. ``has_bound_pods``:
    other pods of the Gang are on nodes. ``is_room``: the gang is only room for pods that come later, and is never
    started. ``takes_room``: the gang is such room, or its pods use such room. The priority of room is at most
    ``most_priority``, the priority of the pods that run. Without ``preempts``, no gang gives way to the Gang, whatever
    its PriorityClass allows.
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
    def lacks_pods(self) -> bool:
        """Whether it is a Gang that awaits pods, and none of its pods waits for the others.

        All its pods may have ended, although the object for which they were created still exists.
        """
        return bool(self.awaits_pods) and self.awaits_since is None

    @property
    def minimum(self) -> int:
        """The fewest members of all roles together."""
        return sum(role.sizes.least for role in self.roles)

    @property
    def maximum(self) -> int:
        """The most members of all roles together."""
        return sum(role.sizes.maximum for role in self.roles)

    @property
    def least_working(self) -> int:
        """The fewest members that do a part of the work."""
        return sum(role.sizes.least for role in self.roles if role.load.is_work)

    @property
    def most_working(self) -> int:
        """The most members that do a part of the work."""
        return sum(role.sizes.maximum for role in self.roles if role.load.is_work)

    @property
    def needs(self) -> tuple[Needs, ...]:
        """The needs with which members are planned, for each role."""
        return tuple(role.needs for role in self.roles)

    @property
    def is_changed_by_admission(self) -> bool:
        """Whether admission changes the members of any role. They are planned with the changed needs."""
        return any(role.written is not None for role in self.roles)

    @property
    def minds_pods(self) -> bool:
        """Whether the places of its members depend on other pods, or on each other."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _GangBase(GangIdentity):
    """What is known of every gang, accepted or refused.

    ``run`` is given for a run of a sweep. ``user`` is the user who created the gang, by its annotation; '' without one.
    """

    policies: Policies = field(default_factory=Policies)
    status: GangStatus = field(default_factory=GangStatus)
    run: SweepRun | None = None
    user: str = ""

    def asks_the_same_as(self, before: "GangFact") -> bool:
        """Whether all parts of the spec that plans use are as in ``before``.

        The spec of a Gang also depends on its pods, and the spec of a queued gang on its quota.
        """
        is_same = (self.generation, self.is_deleting) == (before.generation, before.is_deleting)
        is_same = is_same and self.policies.after == before.policies.after
        is_same = is_same and self.policies.is_suspended == before.policies.is_suspended
        return is_same and (not self._depends_on_others or self.content == before.content)

    def restarts_at(self, now: float) -> float | None:
        """When the pause before the gang's restart is over; None if it is over at ``now``.

        The result is also None if more than twice the pause is left: then the clock was set back.
        """
        at, pause = self.status.restart_at, self.policies.failure.pause_seconds(self.status.restarts)
        return None if at is None or not now < at <= now + 2 * pause else at

    def with_spec(self, spec: GangSpec) -> "AcceptedGang":
        """The gang, accepted with that spec."""
        return AcceptedGang(**self._common(), spec=spec)

    def refused(self, refusal: Refusal) -> "RefusedGang":
        """The gang, refused for that reason."""
        return RefusedGang(**self._common(), refusal=refusal)

    @property
    def _depends_on_others(self) -> bool:
        return is_pod_gang(self.key) or bool(self.policies.queue)

    @property
    def content(self) -> "GangSpec | Refusal | None":
        """The spec, or why it is refused."""
        return None

    @property
    def dealing(self) -> DealingSpec | None:
        """The pieces that a dealer deals while the gang runs; None without a dealer, or if the spec is refused."""
        return None

    @property
    def unmet(self) -> tuple[Predecessor, ...]:
        """The predecessors whose awaited outcome has not happened, according to the status. It may never happen."""
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
    def dealing(self) -> DealingSpec | None:
        """The pieces that a dealer deals while the gang runs; None without a dealer."""
        return self.spec.dealing

    @property
    def deadline(self) -> float | None:
        """The time by which the gang should end; None without a deadline.

        A gang with a deadline gets the fewest members that meet it.
        """
        return None if self.spec.deadline_seconds is None else self.created + self.spec.deadline_seconds

    def planned_sizes(self, role: RoleSpec) -> Sizes:
        """The sizes with which a role may start: at the first start, those that ``elastic.size`` gives.

        A gang that has had nodes may start with any size, and changes to the wanted size while it runs. So it need not
        wait for room for that size.
        """
        return role.sizes if self.status.attempt else self.wanted_sizes(role)

    def wanted_sizes(self, role: RoleSpec) -> Sizes:
        """The sizes that a role should reach: its part of ``elastic.size``, or else any of its sizes."""
        asked = None if self.spec.elastic is None else self.spec.elastic.size
        return role.sizes if asked is None else (sizes_of(self.spec.roles, asked) or {}).get(role.name, role.sizes)

    @property
    def fewest_to_start(self) -> tuple[int, ...]:
        """The fewest members of each role, among the sizes with a run time at which the gang may start."""
        return fewest_with_time([self.planned_sizes(role) for role in self.spec.roles], self.spec.roles, self.spec.work)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedGang(_GangBase):
    """A gang with a spec that can't be obeyed, or with members that admission refuses.

    Its policies and status still count.
    """

    refusal: Refusal
    spec: None = None

    @property
    def runs_on(self) -> bool:
        """Whether its members run, and its user has not ended it.

        Another version of the operator, or one with other options, understood the spec and placed the gang.
        """
        is_ended = self.is_deleting or self.policies.is_suspended or self.status.end is not None
        return self.status.reserved_at is not None and self.status.is_true(Condition.PLACED) and not is_ended

    @property
    def content(self) -> Refusal:
        """Why the spec is refused."""
        return self.refusal


GangFact = AcceptedGang | RefusedGang
"""One GangJob or Gang."""
