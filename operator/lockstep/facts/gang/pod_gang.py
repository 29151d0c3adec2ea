"""Pod gangs: Gangs whose pods other controllers or users create. The spec of a Gang, and its existing pods.

Lockstep plans and binds these pods. It never creates or deletes them. It evicts them only by the rules of
``act/evicting``.
"""

from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import NamedTuple

from coschedule import GangKey, ProfileWork, SerialWork
from lockstep.facts.gang.after import Predecessor
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.identity import GangIdentity
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source, maker_of
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import USUAL_GRACE_SECONDS, Labels, Membership, PodFact
from lockstep.facts.sizing import Sizing


class WaitingPod(NamedTuple):
    """A pod of a Gang that can be bound now.

    ``source`` says why it belongs to the Gang. ``completion_index`` is -1 for pods without one. ``selected`` are the
    pod's labels with keys that its own affinity terms use. Unless it ``preempts``, no gang gives way to it.
    """

    name: str
    source: Source
    created: float
    needs: Needs | Refusal
    priority_class: str
    labels: Labels
    completion_index: int
    selected: Labels = ()
    preempts: bool = True


class GroupTerms(NamedTuple):
    """What the annotations of a pod say about the group that it names. All pods of a group must say the same.

    ``total`` is the number of all pods, and ``fewest`` the number that are placed together. Both are 0 if the pod's
    number is missing or invalid. ``annotations`` are these annotations.
    """

    total: int
    fewest: int
    annotations: Labels


class GroupMember(NamedTuple):
    """The Gang to which a pod belongs.

    The pod has a seat and a rank if Lockstep bound it, and ``waiting`` while it waits.

    ``owner`` is the UID of the object for which the Gang is made; '' if the pod does not name it. ``terms`` describe
    the group, if there is no such object. A pod on a node has ``grace_seconds`` to end. ``since`` is the time at which
    its kubelet started it. ``job`` is the name of the Job that created the pod; '' if no Job did. ``host`` is its DNS
    name below a Service; '' if it asks for none. ``role`` is the role in its labels; '' if they name none. If
    ``least_is_left``, the minimum of its Gang counts only the pods that its Job still has to make.
    """

    gang: GangKey
    seat: Membership | None
    waiting: WaitingPod | None
    rank: int | None = None
    owner: str = ""
    terms: GroupTerms | None = None
    job: str = ""
    grace_seconds: int = USUAL_GRACE_SECONDS
    since: float | None = None
    host: str = ""
    role: str = ""
    least_is_left: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedPod(PodFact):
    """A pod of a Gang. It is no member of a GangJob, so no code that deletes members finds it."""

    group: GroupMember


def grouped(pod: PodFact, group: GroupMember) -> GroupedPod:
    """The same pod, as a pod of a Gang."""
    return GroupedPod(**{one.name: getattr(pod, one.name) for one in fields(PodFact)}, group=group)


class LaterPods(NamedTuple):
    """Pods of one kind that start once others of their Gang run: their number, and the needs of each."""

    pods: int
    needs: Needs
    priority_class: str = ""


class PodRole(NamedTuple):
    """A role of a Gang: the fewest of its pods that are placed with the others, and the most that are placed at all."""

    name: str
    minimum: int
    maximum: int


class Undo(StrEnum):
    """What happens to bound pods of a Gang that can't stay on their nodes, if their owner can't be suspended."""

    KEEP = "Keep"
    EVICT = "Evict"


class HostList(StrEnum):
    """The object in which the pods of a Gang read the list of its pods."""

    NONE = "None"
    CONFIG_MAP = "ConfigMap"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGangSpec:
    """The spec of a Gang: the fewest pods that are placed together, and the most that are placed at all.

    Beyond the fewest, ``later`` pods start step by step, in this order. Only the user sets ``undo``, even in a Gang
    that the operator has made. Pods that name none of the ``roles`` count only in the numbers for all pods. All pods
    have ``priority_class``, unless it is ''. Unless the Gang ``preempts``, no gang gives way to it. The other fields
    are as in ``GangSpec``.
    """

    minimum: int
    maximum: int
    work: SerialWork | ProfileWork | None = None
    deadline_seconds: float | None = None
    one_per: str = ""
    all_in: str = ""
    sizing: Sizing | None = None
    later: tuple[LaterPods, ...] = ()
    undo: Undo = Undo.KEEP
    hosts: HostList = HostList.NONE
    roles: tuple[PodRole, ...] = ()
    priority_class: str = ""
    preempts: bool = True
    after: tuple[Predecessor, ...] = ()

    @property
    def role_names(self) -> tuple[str, ...]:
        """The names of its roles."""
        return tuple(role.name for role in self.roles)


class OwnerName(NamedTuple):
    """An owner of a Gang. Kubernetes deletes the Gang when all of its owners are gone."""

    name: str
    uid: str


MOST_OWNERS = 8
"""The most owners of a Gang that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGang(GangIdentity):
    """A Gang as the API server has it. ``asks`` is its spec, or the reason why this spec can't be obeyed.

    If the operator has made it, ``made_for`` is the UID of the first of its ``owners``, and ``owner_version`` the API
    version of this owner. Otherwise ``made_for`` is None. ``user`` is the user in its annotation, who created it.
    ``in_all`` is the number of its pods that must succeed before this owner is complete. It is 0 if this is unknown, or
    if the Gang needs all these pods together.
    """

    asks: PodGangSpec | Refusal
    made_for: str | None = None
    owners: tuple[OwnerName, ...] = ()
    owner_version: str = ""
    status: GangStatus = field(default_factory=GangStatus)
    user: str = ""
    in_all: int = 0

    @property
    def needs_no_others(self) -> bool:
        """Whether one pod of the Gang may be placed without any other pod.

        This holds for a Kubernetes PodGroup whose policy is ``basic``, or whose minimum count is 1.
        """
        made = maker_of(object_name(self.key)) if self.made_for else None
        is_of_group = made is not None and made[0] is Source.SCHEDULING_GROUP
        return is_of_group and isinstance(self.asks, PodGangSpec) and self.asks.minimum == 1

    @property
    def wants_host_list(self) -> bool:
        """Whether its pods read the list of its pods in an object of the Gang."""
        return isinstance(self.asks, PodGangSpec) and self.asks.hosts is HostList.CONFIG_MAP
