"""The pods of one Gang, counted as they come and go, so that nothing grows with their number when one of them changes.

A Gang may have 10,000 pods, and each of them changes several times while it is placed.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import NamedTuple

from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.pod_gang import GroupedPod, WaitingPod
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Labels, PodKey


class PodKind(NamedTuple):
    """What pods have in common that are planned alike."""

    needs: Needs | Refusal
    priority_class: str
    source: Source


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


class PodGroup:
    """The pods with the name of one Gang. ``going``: those on nodes that have not ended and are not being deleted.

    ``changes`` grows with each change of a pod.
    """

    def __init__(self) -> None:
        self.pods: dict[PodKey, GroupedPod] = {}
        self.going = 0
        self.changes = 0
        self._alike: dict[PodKind, _Bucket] = {}
        self._created: list[float] = []

    def enter(self, pod: GroupedPod) -> None:
        """Add or update a pod."""
        self.leave(pod.key)
        self.changes += 1
        self.pods[pod.key] = pod
        self.going += _is_going(pod)
        waiting = pod.group.waiting
        if waiting is not None:
            self._alike.setdefault(_kind(waiting), _Bucket(waiting.labels)).enter(pod.key, waiting)
            insort(self._created, waiting.created)

    def leave(self, key: PodKey) -> None:
        """Remove a pod, if it is there."""
        pod = self.pods.pop(key, None)
        if pod is None:
            return
        self.changes += 1
        self.going -= _is_going(pod)
        if pod.group.waiting is not None:
            kind = _kind(pod.group.waiting)
            del self._alike[kind].pods[key]
            if not self._alike[kind].pods:
                del self._alike[kind]
            del self._created[bisect_left(self._created, pod.group.waiting.created)]

    def going_pods(self) -> Iterator[GroupedPod]:
        """The pods on nodes that have not ended and are not being deleted."""
        return filter(_is_going, self.pods.values())

    @property
    def waiting(self) -> int:
        """How many pods can be bound now."""
        return len(self._created)

    def complete_since(self, least: int) -> float | None:
        """When so many of the pods that wait had been created; None if they are fewer."""
        return self._created[least - 1] if 0 < least <= len(self._created) else None

    def alike(self) -> Iterator[PodsAlike]:
        """The pods that wait, by what they have in common."""
        for kind, bucket in self._alike.items():
            yield PodsAlike(kind, len(bucket.pods), next(iter(bucket.pods)).name, bucket.labels)

    def waiting_pods(self) -> dict[PodKey, WaitingPod]:
        """The pods that can be bound now, by completion index and then by name; this takes time for many."""
        waiting = [(key, pod) for bucket in self._alike.values() for key, pod in bucket.pods.items()]
        return dict(sorted(waiting, key=lambda one: (one[1].completion_index, one[0])))


def _is_going(pod: GroupedPod) -> bool:
    return bool(pod.node) and not (pod.has_ended or pod.is_deleting)


def _kind(pod: WaitingPod) -> PodKind:
    return PodKind(pod.needs, pod.priority_class, pod.source)
