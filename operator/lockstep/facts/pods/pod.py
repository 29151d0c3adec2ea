"""Facts about pods: the resources that a pod takes from its node, and the gang to which it belongs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

from coschedule import GangKey, Requirement
from lockstep.facts.pods.dealer import DealerFact
from lockstep.facts.pods.pace import MemberCpu
from lockstep.facts.pods.pod_outcome import PodOutcome

Request = tuple[tuple[str, int], ...]
"""Resources of one pod: (name, amount as an integer in milli-CPU, bytes or a count), sorted by name."""


LARGEST_AMOUNT = 2**49
"""Amounts of one resource of a pod or a node are capped at this: 512 TiB, or 562 billion CPUs.

So the sum over 10,000 members, the largest gang, is below 2**63 and fits into one integer of an array.
"""

USUAL_GRACE_SECONDS = 30
"""In seconds: the API server's default of the grace period."""

MOST_GRACE_SECONDS = 3_600
"""In seconds: the longest grace period of a member, as in the schema.

No gang waits longer for the room of an evicted member.
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

    @property
    def is_over(self) -> bool:
        """Whether no container of the pod runs or will run again."""
        match self:
            case PodPhase.SUCCEEDED | PodPhase.FAILED:
                return True
            case PodPhase.PENDING | PodPhase.RUNNING | PodPhase.UNKNOWN:
                return False
            case _:
                assert_never(self)


class Membership(NamedTuple):
    """The gang of a pod, the UID of this gang, the attempt that created the pod, and the pod's rank."""

    gang: GangKey
    gang_uid: str
    attempt: int
    rank: int


class PodEnd(NamedTuple):
    """How a member ended: (name, exit code) of its failed containers, and (type, status) of its conditions."""

    exits: tuple[tuple[str, int], ...]
    conditions: frozenset[tuple[str, str]]


Labels = tuple[tuple[str, str], ...]
"""Labels of a pod, sorted. Pods with equal labels share one value."""

LabelSelector = tuple[Requirement, ...]
"""Requirements on labels, which must all hold."""


class PodTerm(NamedTuple):
    """A term of pod affinity. It selects pods, and nodes with the same ``topology_key`` value as a node of these pods.

    The term selects pods in ``namespaces`` and in namespaces that ``namespace_selector`` matches. A selector that is
    ``None`` matches nothing.
    """

    topology_key: str
    selector: LabelSelector | None
    namespaces: tuple[str, ...]
    namespace_selector: LabelSelector | None


class WrittenTerm(NamedTuple):
    """A term as written in a template, before it applies to a pod.

    A term without any namespace means the pod's own namespace. ``alike`` are its matchLabelKeys: selected pods have the
    pod's values of these labels. ``unlike`` are its mismatchLabelKeys: selected pods have other values.
    """

    term: PodTerm
    alike: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


class PodAffinity(NamedTuple):
    """The required pod affinity (``near`` a pod of each term) and anti-affinity (``apart`` from all) of a template."""

    near: tuple[WrittenTerm, ...] = ()
    apart: tuple[WrittenTerm, ...] = ()


NO_POD_AFFINITY = PodAffinity()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodFact:
    """Any pod in the cluster: the resources that it takes from its node, and the state of a member.

    ``lasting``: it runs without a known end, so no gang is planned after it. ``anti_affinity_terms`` is its required
    anti-affinity. ``claims`` are the names of claims that it uses; ``nominated`` is its nominated node.
    ``has_unread_labels``: it has too many labels, and ``labels`` is empty.

    The other fields are about members. ``is_up``: the member is at its gate or past it; ``may_go``: its gate is open.
    ``outcome`` says how it ended; ``end`` is given if it failed or is lost. ``progress`` is its reported progress.
    ``is_done``: it still runs, but all containers except sidecars have succeeded. ``rejected_for`` is the reason of a
    kubelet that rejected it. ``cpu`` is given while it runs. ``is_stopping``: its kubelet was asked to stop it, and its
    pod is kept. ``gone_by`` is the time by which a pod that is being deleted will have ended, if known. ``notice`` is
    the notice of a change of size that it can read. ``ready_for`` is the notice for which it says that it is ready.
    ``dealer`` deals the gang's pieces.
    """

    key: PodKey
    uid: str
    node: str
    phase: PodPhase
    request: Request
    member: Membership | None
    is_deleting: bool
    ended_because: str
    outcome: PodOutcome = PodOutcome.GOING
    lasting: bool = False
    labels: Labels = ()
    has_unread_labels: bool = False
    anti_affinity_terms: tuple[PodTerm, ...] = ()
    claims: tuple[str, ...] = ()
    nominated: str = ""
    priority: int = 0
    is_up: bool = False
    may_go: bool = False
    started: float | None = None
    is_done: bool = False
    rejected_for: str = ""
    end: PodEnd | None = None
    progress: str = ""
    notice: str = ""
    ready_for: str = ""
    cpu: MemberCpu | None = None
    is_stopping: bool = False
    gone_by: float | None = None
    finalizers: tuple[str, ...] = ()
    dealer: DealerFact | None = None

    @property
    def has_ended(self) -> bool:
        """Whether the pod has ended, so that it takes nothing from its node."""
        return self.phase.is_over

    @property
    def outcome_once_gone(self) -> PodOutcome:
        """The outcome of a member whose pod no longer exists and was last observed like this."""
        if self.outcome is not PodOutcome.GOING:
            return self.outcome
        return PodOutcome.SUCCEEDED if self.is_done else PodOutcome.DELETED
