"""What is observed of the cluster, without its manifests' shapes.

Facts are values: ``watch/parse.py`` makes them, ``state.py`` keeps the newest of each, and nothing changes one.
All times are seconds since the epoch, as floats; ``None`` means that the object does not say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from coschedule.cluster.snapshot import Constraints, GangKey, Load, NodeTerm, Taint
from coschedule.work import Work

Request = tuple[tuple[str, int], ...]
"""Resources of one pod: (name, amount in integer base units: milli-CPU, bytes, pieces), sorted by name."""


class PodKey(NamedTuple):
    """A pod's place in the API."""

    namespace: str
    name: str


class PodPhase(StrEnum):
    """Kubernetes' phases of a pod."""

    PENDING = "Pending"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    UNKNOWN = "Unknown"


class Membership(NamedTuple):
    """Whose member a pod is: the gang and its UID, the attempt that made the pod, and the pod's rank in the gang."""

    gang: GangKey
    gang_uid: str
    attempt: int
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PodFact:
    """One pod, of anybody: what it takes from its node, and how far it is if it is a member of a gang."""

    key: PodKey
    uid: str
    node: str
    phase: PodPhase
    request: Request
    member: Membership | None
    is_deleting: bool
    is_disrupted: bool
    ended_because: str

    @property
    def has_ended(self) -> bool:
        """Whether the pod no longer takes anything from its node."""
        return self.phase in (PodPhase.SUCCEEDED, PodPhase.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One node: what it can hold, and whom it lets in."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Request
    is_ready: bool
    is_unschedulable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BidFact:
    """What a NodeBid offers. ``slowdown`` is e = (1 + duty cycle) / capacity."""

    node: str
    resource_version: str
    slowdown: float
    available_from: float | None
    available_until: float | None
    slots: int | None
    expires_at: float | None


class ClaimKey(NamedTuple):
    """A PersistentVolumeClaim's place in the API."""

    namespace: str
    name: str


class ClaimUse(NamedTuple):
    """A claim that a template names, and the field of the pod spec that does."""

    field: str
    claim: str


class ClaimFact(NamedTuple):
    """One PersistentVolumeClaim: to which volume it is bound, and how that may be used."""

    key: ClaimKey
    is_bound: bool
    volume: str
    modes: frozenset[str]


class VolumeFact(NamedTuple):
    """One PersistentVolume: from which nodes it can be reached; ``None`` means from all."""

    name: str
    affinity: tuple[NodeTerm, ...] | None


class Refusal(NamedTuple):
    """Why a spec can't be obeyed: an enumerated reason and a sentence that names the field."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GangSpec:
    """What a GangJob asks for.

    ``deadline_seconds`` counts from the submission; ``pieces`` goes with the load of that name, and only with that;
    ``template`` is the pod template as written.
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


class ConditionFact(NamedTuple):
    """One entry of ``status.conditions``."""

    type: str
    status: str
    reason: str
    message: str
    observed_generation: int
    last_transition: float


class Members(NamedTuple):
    """So many members on that node, and what each of them has. Ranks run along the list of these.

    ``share`` is the decimal that stands in the status, of a proportional load; ``pieces`` that of a load of pieces.
    """

    node: str
    size: int
    share: str | None = None
    pieces: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GangStatus:
    """A GangJob's status: what the operator last wrote, which is also its write-ahead log.

    ``reserved_at`` stands from the write that reserves the members until their release or the gang's end: while it
    stands, the pods of ``attempt`` on ``members`` may exist.
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
