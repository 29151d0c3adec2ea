"""The pods of one Gang, counted as they come and go, so that nothing grows with their number when one of them changes.

A Gang may have 10,000 pods, and each of them changes several times while it is placed.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.pod_gang import GroupedPod, GroupMember, WaitingPod
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Labels, PodKey, PodPhase


class PodKind(NamedTuple):
    """What pods have in common that are planned alike."""

    needs: Needs | Refusal
    priority_class: str
    source: Source
    owner: str
    selected: Labels


class _Bucket:
    """Pods that are planned alike, and the labels that all of them have had."""

    def __init__(self, labels: Labels) -> None:
        self.pods: dict[PodKey, WaitingPod] = {}
        self._labels = frozenset(labels)

    def enter(self, key: PodKey, pod: WaitingPod) -> None:
        self.pods[key] = pod
        self._labels &= frozenset(pod.labels)

    @property
    def labels(self) -> Labels:
        return tuple(sorted(self._labels))


class PodsAlike(NamedTuple):
    """Pods that wait and are planned alike: how many they are, the name of one, and the labels of all."""

    kind: PodKind
    pods: int
    one: str
    labels: Labels


class OwnPods(NamedTuple):
    """The pods of a Gang: how many are on nodes, wait, and have succeeded; and those that wait, by kind."""

    going: int
    waiting: int
    succeeded: int
    alike: Sequence[PodsAlike]


class PodGroup:
    """The pods with the name of one Gang. ``going``: those that we have bound, and that have not ended.

    Pods that are being deleted are none of these. ``changes`` grows with each change of a pod.
    """

    def __init__(self) -> None:
        self.pods: dict[PodKey, GroupedPod] = {}
        self.going = 0
        self.changes = 0
        self._going_of = Counter[str]()
        self._succeeded_of = Counter[str]()
        self._alike: dict[PodKind, _Bucket] = {}
        self._created: list[float] = []

    def enter(self, pod: GroupedPod) -> None:
        """Add or update a pod."""
        self.leave(pod.key)
        self.changes += 1
        self.pods[pod.key] = pod
        self._count(pod, +1)
        waiting = pod.group.waiting
        if waiting is not None:
            self._alike.setdefault(_kind(pod.group, waiting), _Bucket(waiting.labels)).enter(pod.key, waiting)
            insort(self._created, waiting.created)

    def leave(self, key: PodKey) -> None:
        """Remove a pod, if it is there."""
        pod = self.pods.pop(key, None)
        if pod is None:
            return
        self.changes += 1
        self._count(pod, -1)
        if pod.group.waiting is not None:
            kind = _kind(pod.group, pod.group.waiting)
            del self._alike[kind].pods[key]
            if not self._alike[kind].pods:
                del self._alike[kind]
            del self._created[bisect_left(self._created, pod.group.waiting.created)]

    def going_pods(self) -> Iterator[GroupedPod]:
        """The pods that we have bound, that have not ended and are not being deleted."""
        return filter(_is_going, self.pods.values())

    @property
    def waiting(self) -> int:
        """How many pods can be bound now."""
        return len(self._created)

    def complete_since(self, least: int) -> float | None:
        """When so many of the pods that wait had been created; None if they are fewer."""
        return self._created[least - 1] if 0 < least <= len(self._created) else None

    def own(self, owner: str | None, most_kinds: int) -> OwnPods:
        """The pods of a Gang that is made for the owner with that UID, or which may have any owner: None.

        No more kinds than ``most_kinds`` are listed. Pods that do not say their owner count for each.
        """
        buckets = [(kind, bucket) for kind, bucket in self._alike.items() if _is_of(kind.owner, owner)]
        alike = [
            PodsAlike(kind, len(bucket.pods), next(iter(bucket.pods)).name, bucket.labels)
            for kind, bucket in buckets[:most_kinds]
        ]
        going, succeeded = (
            sum(count for of, count in counts.items() if _is_of(of, owner))
            for counts in (self._going_of, self._succeeded_of)
        )
        return OwnPods(going, sum(len(bucket.pods) for _, bucket in buckets), succeeded, alike)

    def waiting_by_kind(self, owner: str | None) -> Iterator[tuple[PodKind, Mapping[PodKey, WaitingPod]]]:
        """The pods that can be bound now, of that owner or of any."""
        return ((kind, bucket.pods) for kind, bucket in self._alike.items() if _is_of(kind.owner, owner))

    def _count(self, pod: GroupedPod, sign: int) -> None:
        is_going, owner = _is_going(pod), pod.group.owner
        self.going += sign * is_going
        self._going_of[owner] += sign * is_going
        self._succeeded_of[owner] += sign * (pod.phase is PodPhase.SUCCEEDED)
        for counts in (self._going_of, self._succeeded_of):
            if not counts[owner]:
                del counts[owner]


def _is_going(pod: GroupedPod) -> bool:
    return pod.group.seat is not None and not (pod.has_ended or pod.is_deleting)


def _is_of(pods_owner: str, owner: str | None) -> bool:
    return owner is None or pods_owner in ("", owner)


def _kind(group: GroupMember, pod: WaitingPod) -> PodKind:
    return PodKind(pod.needs, pod.priority_class, pod.source, group.owner, pod.selected)
