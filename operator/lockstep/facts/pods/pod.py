"""Pods as facts: what one takes from its node, and whose member it is."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never

from coschedule import GangKey, Requirement
from lockstep.facts.pods.pace import MemberCpu
from lockstep.facts.pods.pod_outcome import PodOutcome

Request = tuple[tuple[str, int], ...]
"""Resources of one pod: (name, amount in integer base units: milli-CPU, bytes, pieces), sorted by name."""


LARGEST_AMOUNT = 2**49
"""The most that is counted of one resource of one pod, or of what a node can hold: 512 TiB, 562 billion CPUs.

10,000 members of it, the largest gang, are below 2**63: their sum still is one integer of an array.
"""

MOST_GRACE_SECONDS = 3_600
"""The longest grace period of a member: no gang waits longer for its room. The schema has the same bound."""


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
        """Whether no container of the pod runs any more, or ever will."""
        match self:
            case PodPhase.SUCCEEDED | PodPhase.FAILED:
                return True
            case PodPhase.PENDING | PodPhase.RUNNING | PodPhase.UNKNOWN:
                return False
            case _:
                assert_never(self)


class Membership(NamedTuple):
    """Whose member a pod is: the gang and its UID, the attempt that made the pod, and the pod's rank in the gang."""

    gang: GangKey
    gang_uid: str
    attempt: int
    rank: int


class PodEnd(NamedTuple):
    """How a member ended, or ends: (name, exit code) of its failed containers, (type, status) of its conditions."""

    exits: tuple[tuple[str, int], ...]
    conditions: frozenset[tuple[str, str]]


Labels = tuple[tuple[str, str], ...]
"""Labels of a pod, sorted. Pods with equal labels share one value."""

LabelSelector = tuple[Requirement, ...]
"""Requirements on labels, all of which have to hold."""


class PodTerm(NamedTuple):
    """Which pods are meant, and which nodes are near them: those that share their node's value of a label.

    Pods whose labels match, in the namespaces named and in those whose own labels match; ``None`` matches nothing.
    """

    topology_key: str
    selector: LabelSelector | None
    namespaces: tuple[str, ...]
    namespace_selector: LabelSelector | None


class WrittenTerm(NamedTuple):
    """A term as a template has it, which is nobody's yet.

    Where it names no namespace at all, that of the pod is meant. The values that the pod has of the labels ``alike``
    are asked for besides, and those that it has of the labels ``unlike`` are not wanted.
    """

    term: PodTerm
    alike: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()


class PodAffinity(NamedTuple):
    """What a template requires of the pods around its own: to be ``near`` some of each term, ``apart`` from all."""

    near: tuple[WrittenTerm, ...] = ()
    apart: tuple[WrittenTerm, ...] = ()


NO_POD_AFFINITY = PodAffinity()


@dataclass(frozen=True, slots=True, kw_only=True)
class PodFact:
    """One pod, of anybody: what it takes from its node, and how far it is if it is a member of a gang.

    ``lasting``: it is not meant to end, so that nobody waits for what it takes. ``claims`` are the names of those it
    uses in its namespace; ``nominated`` is the node on which a scheduler makes room for it, and ``priority`` its own.
    ``has_unread_labels``: they are too many, and ``labels`` has none.
    Of a member is known whether it ``is_up``, at its gate or past it; whether it ``may_go`` on; when it ``started``.
    Of members, ``outcome`` says what has become of them, ``end`` is there where they failed or are lost, and
    ``progress`` is what they report. One that ``is_done`` runs on, though all its containers but sidecars have ended
    well. ``rejected_for`` is the reason of a kubelet that rejected it. ``finalizers`` keep one that is being deleted.
    ``cpu`` is that of a member that runs. ``is_stopping``: its node is to end the member, or has, and keep the pod.
    ``gone_by`` is when it will have ended, where it is being deleted and that is known.
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
    keeps_away: tuple[PodTerm, ...] = ()
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
    cpu: MemberCpu | None = None
    is_stopping: bool = False
    gone_by: float | None = None
    finalizers: tuple[str, ...] = ()

    @property
    def has_ended(self) -> bool:
        """Whether the pod no longer takes anything from its node."""
        return self.phase.is_over

    @property
    def outcome_once_gone(self) -> PodOutcome:
        """What has become of a member that is gone, and was seen so for the last time."""
        if self.outcome is not PodOutcome.GOING:
            return self.outcome
        return PodOutcome.SUCCEEDED if self.is_done else PodOutcome.DELETED
