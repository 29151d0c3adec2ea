"""GangJobs as facts: what one asks for, and what its status says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from coschedule import Constraints, GangKey, Load, Members, Work
from lockstep.facts.pod import NO_POD_AFFINITY, PodAffinity, Request
from lockstep.facts.volume import ClaimUse


class Refusal(NamedTuple):
    """Why a spec can't be obeyed: an enumerated reason and a sentence that names the field."""

    reason: str
    message: str


class Needs(NamedTuple):
    """What one member asks of its node: all of its pod that a plan looks at."""

    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]
    pod_affinity: PodAffinity = NO_POD_AFFINITY


@dataclass(frozen=True, slots=True, kw_only=True)
class GangSpec:
    """What a GangJob asks for.

    ``deadline_seconds`` counts from the submission; ``pieces`` goes with the load of that name, and only with that;
    ``template`` is the pod template as written, with what the node pool asks of members. ``request``, ``constraints``,
    ``claims`` and ``pod_affinity`` are those of the template, or what admission was seen to make of them: then
    ``written`` has those of the template. No two members are on nodes with the same value of the label ``one_per``, and
    all are on nodes with one value of the label ``all_in``, where these are given. ``not_weighed`` names the fields of
    the template that say what it only prefers.
    """

    minimum: int
    maximum: int
    work: Work | None
    deadline_seconds: float | None
    priority_class: str
    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]
    template: Mapping[str, Any]
    load: Load = Load.EQUAL
    pieces: int | None = None
    pod_affinity: PodAffinity = NO_POD_AFFINITY
    one_per: str = ""
    all_in: str = ""
    not_weighed: tuple[str, ...] = ()
    written: "Needs | None" = None

    @property
    def has_pod_affinity(self) -> bool:
        """Whether members require anything of the pods around them."""
        return self.pod_affinity != NO_POD_AFFINITY

    @property
    def needs(self) -> Needs:
        """What a member is planned with."""
        return Needs(self.request, self.constraints, self.claims, self.pod_affinity)


class ConditionFact(NamedTuple):
    """One entry of ``status.conditions``."""

    type: str
    status: str
    reason: str
    message: str
    observed_generation: int
    last_transition: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GangStatus:
    """A GangJob's status: what the operator last wrote, which is also its write-ahead log.

    ``reserved_at`` stands from the write that reserves the members until their release or the gang's end: while it
    stands, the pods of ``attempt`` on ``members`` may exist. ``succeeded_ranks`` are those of the attempt that were
    seen to end well, whether their pods are still there or not.
    """

    conditions: tuple[ConditionFact, ...] = ()
    attempt: int = 0
    size: int | None = None
    start: float | None = None
    expected_finish: float | None = None
    effective_speedup: str | None = None
    members: tuple[Members, ...] = ()
    reserved_at: float | None = None
    first_planned_start: float | None = None
    started_at: float | None = None
    finished_at: float | None = None
    succeeded_ranks: str = ""

    def condition(self, kind: str) -> ConditionFact | None:
        """The condition of that type, if it has been written."""
        return next((c for c in self.conditions if c.type == kind), None)

    def is_true(self, kind: str) -> bool:
        """Whether the condition of that type stands and is True."""
        condition = self.condition(kind)
        return condition is not None and condition.status == "True"


@dataclass(frozen=True, slots=True, kw_only=True)
class GangFact:
    """One GangJob. Exactly one of ``spec`` and ``refusal`` is given."""

    key: GangKey
    uid: str
    resource_version: str
    generation: int
    created: float
    is_deleting: bool
    spec: GangSpec | None
    refusal: Refusal | None
    status: GangStatus = field(default_factory=GangStatus)

    def asks_the_same_as(self, before: "GangFact") -> bool:
        """Whether the planner would see no difference: what has changed is the status."""
        return (self.generation, self.is_deleting) == (before.generation, before.is_deleting)
