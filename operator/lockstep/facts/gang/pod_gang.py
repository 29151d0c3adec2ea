"""Pod gangs: Gangs whose pods others create. What a Gang asks for, and which of its pods are there.

Lockstep plans and binds these pods. It never creates, deletes or evicts them.
"""

from dataclasses import dataclass, field, fields
from typing import NamedTuple

from coschedule import GangKey, ProfileWork, SerialWork
from lockstep.facts.gang.gang import GangStatus, Refusal
from lockstep.facts.gang.identity import GangIdentity
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import USUAL_GRACE_SECONDS, Labels, Membership, PodFact
from lockstep.facts.sizing import Sizing


class WaitingPod(NamedTuple):
    """A pod of a Gang that can be bound now.

    ``source`` says why it belongs to the Gang. ``completion_index`` is -1 for pods without one. ``selected`` are those
    of its labels that its own affinity selects by.
    """

    name: str
    source: Source
    created: float
    needs: Needs | Refusal
    priority_class: str
    labels: Labels
    completion_index: int
    selected: Labels = ()


class GroupMember(NamedTuple):
    """The Gang that a pod belongs to; its seat and its rank if we bound it, or what it needs while it waits.

    ``owner`` is the UID of the object for which the Gang is made; '' if the pod does not say it. A pod on a node has
    ``grace_seconds`` to end, and runs ``since`` its kubelet has started it.
    """

    gang: GangKey
    seat: Membership | None
    waiting: WaitingPod | None
    rank: int | None = None
    owner: str = ""
    grace_seconds: int = USUAL_GRACE_SECONDS
    since: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedPod(PodFact):
    """A pod of a Gang. It is no member of a GangJob, so no code that deletes members finds it."""

    group: GroupMember


def grouped(pod: PodFact, group: GroupMember) -> GroupedPod:
    """The same pod, as a pod of a Gang."""
    return GroupedPod(**{one.name: getattr(pod, one.name) for one in fields(PodFact)}, group=group)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGangSpec:
    """What a Gang asks for: the fewest pods that are placed together, and the most that are placed at all.

    The other fields are as in ``GangSpec``.
    """

    minimum: int
    maximum: int
    work: SerialWork | ProfileWork | None = None
    deadline_seconds: float | None = None
    one_per: str = ""
    all_in: str = ""
    sizing: Sizing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGang(GangIdentity):
    """A Gang as the API server has it, or why its spec can't be obeyed.

    If the operator has made it, ``made_for`` is the UID of the owner of its pods; otherwise it is None.
    """

    asks: PodGangSpec | Refusal
    made_for: str | None = None
    status: GangStatus = field(default_factory=GangStatus)
