"""What is observed of the cluster, without its manifests' shapes.

Facts are values: ``watch/parse.py`` makes them, ``state.py`` keeps the newest of each, and nothing changes one.
All times are seconds since the epoch, as floats; ``None`` means that the object does not say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from coschedule.cluster.snapshot import Constraints, GangKey, Load, NodeTerm, Requirement, Taint
from coschedule.work import Work
from lockstep.names import ATTEMPT_LABEL, GANG_LABEL

Request = tuple[tuple[str, int], ...]
"""Resources of one pod: (name, amount in integer base units: milli-CPU, bytes, pieces), sorted by name."""

LARGEST_AMOUNT = 2**49
"""The most that is counted of one resource of one pod, or of what a node can hold: 512 TiB, 562 billion CPUs.

10,000 members of it, the largest gang, are below 2**63: their sum still is one integer of an array.
"""


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


LabelSelector = tuple[Requirement, ...]
"""Requirements on labels, all of which have to hold."""


class AntiAffinity(NamedTuple):
    """Whom a pod keeps away from the nodes that share its node's value of a label.

    Those whose labels match, in the namespaces named and in those whose own labels match; ``None`` matches nothing.
    """

    topology_key: str
    selector: LabelSelector | None
    namespaces: tuple[str, ...]
    namespace_selector: LabelSelector | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodFact:
    """One pod, of anybody: what it takes from its node, and how far it is if it is a member of a gang.

    ``lasting``: it is not meant to end, so that nobody waits for what it takes. ``claims`` are the names of those it
    uses in its namespace; ``nominated`` is the node on which a scheduler makes room for it, and ``priority`` its own.
    """

    key: PodKey
    uid: str
    node: str
    phase: PodPhase
    request: Request
    member: Membership | None
    is_deleting: bool
    is_disrupted: bool
    ended_because: str
    lasting: bool = False
    keeps_away: tuple[AntiAffinity, ...] = ()
    claims: tuple[str, ...] = ()
    nominated: str = ""
    priority: int = 0

    @property
    def has_ended(self) -> bool:
        """Whether the pod no longer takes anything from its node."""
        return self.phase in (PodPhase.SUCCEEDED, PodPhase.FAILED)

    @property
    def has_succeeded(self) -> bool:
        """Whether the pod has ended well."""
        return self.phase is PodPhase.SUCCEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFact:
    """One node: what it can hold, and whom it lets in."""

    name: str
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    allocatable: Request
    is_ready: bool
    is_unschedulable: bool


class BidCondition(NamedTuple):
    """What a NodeBid's status says of whether it counts: True or False, and why."""

    status: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BidFact:
    """What a NodeBid offers. ``slowdown`` is e = (1 + duty cycle) / capacity.

    ``problem`` says why the bid can't be understood; it then has no slots. ``told`` is what its owner was told last.
    """

    node: str
    resource_version: str
    slowdown: float
    available_from: float | None
    available_until: float | None
    slots: int | None
    expires_at: float | None
    generation: int = 0
    problem: str | None = None
    told: BidCondition | None = None

    @property
    def answer(self) -> BidCondition | None:
        """What its owner should have been told: nothing, as long as the bid was always understood."""
        if self.problem is not None:
            message = f"The bid can't be understood, so its node is not offered to gangs: {self.problem}."
            return BidCondition("False", message)
        return None if self.told is None else BidCondition("True", "The bid is understood.")


class NamespaceFact(NamedTuple):
    """One namespace."""

    name: str
    labels: Mapping[str, str]


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
    is_deleting: bool
    volume: str
    modes: frozenset[str]


class CsiVolume(NamedTuple):
    """A volume as a CSI driver knows it."""

    driver: str
    handle: str


class VolumeFact(NamedTuple):
    """One PersistentVolume: from which nodes it can be reached. Each of the affinities has to match."""

    name: str
    affinities: tuple[tuple[NodeTerm, ...], ...]
    csi: CsiVolume | None = None


class AttachLimits(NamedTuple):
    """How many volumes a node can attach, by driver; a driver that does not say so has no limit."""

    node: str
    limits: Mapping[str, int]


class Attachment(NamedTuple):
    """One VolumeAttachment: a driver attaches that PersistentVolume to a node, or has done so."""

    name: str
    node: str
    driver: str
    volume: str


class Refusal(NamedTuple):
    """Why a spec can't be obeyed: an enumerated reason and a sentence that names the field."""

    reason: str
    message: str


class Needs(NamedTuple):
    """What one member asks of its node: all of its pod that a plan looks at."""

    request: Request
    constraints: Constraints
    claims: tuple[ClaimUse, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GangSpec:
    """What a GangJob asks for.

    ``deadline_seconds`` counts from the submission; ``pieces`` goes with the load of that name, and only with that;
    ``template`` is the pod template as written. ``request``, ``constraints`` and ``claims`` are those of the template,
    or what admission was seen to make of them: then ``admission`` says in words what it changes.
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
    admission: str = ""

    @property
    def needs(self) -> Needs:
        """What a member is planned with."""
        return Needs(self.request, self.constraints, self.claims)


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

    def member_labels(self, attempt: int) -> dict[str, str]:
        """The labels that all members of an attempt have, besides that of the rank."""
        assert self.spec is not None, "a refused gang has no members"
        own = (self.spec.template.get("metadata") or {}).get("labels") or {}
        return {**own, GANG_LABEL: self.key.name, ATTEMPT_LABEL: str(attempt)}
