"""The pods of one Gang, counted as they come and go. So the cost of a change does not grow with the number of pods.

A Gang may have 10,000 pods, and each pod changes several times while the Gang is placed.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from itertools import chain, islice

from lockstep.belief.podgangs.group_terms import SharedTerms, TermsOfPods
from lockstep.belief.podgangs.held_by_pods import HeldByPods
from lockstep.belief.podgangs.own_pods import OwnPods, PodKind, PodsAlike
from lockstep.belief.podgangs.pods_by_role import CreatedByRole, PodsByRole
from lockstep.facts.gang.pod_gang import GroupedPod, GroupMember, PodRole, WaitingPod
from lockstep.facts.pods.pod import Labels, PodKey, PodPhase


class _Bucket:
    """Pods that are planned alike: their number by role, and the labels that all of them have had."""

    def __init__(self, labels: Labels) -> None:
        self.pods: dict[PodKey, WaitingPod] = {}
        self.roles = PodsByRole()
        self._labels = frozenset(labels)

    def enter(self, key: PodKey, pod: WaitingPod, role: str) -> None:
        self.pods[key] = pod
        self.roles.count(role, +1)
        self._labels &= frozenset(pod.labels)

    def leave(self, key: PodKey, role: str) -> None:
        del self.pods[key]
        self.roles.count(role, -1)

    @property
    def labels(self) -> Labels:
        return tuple(sorted(self._labels))


class _OwnersPods:
    """The pods of one owner: those that wait, by kind, and how many are on nodes, wait, have succeeded, or are open."""

    def __init__(self) -> None:
        self.alike: dict[PodKind, _Bucket] = {}
        self.going = self.waiting = self.succeeded = self.deducted = self.open = self.pods = 0
        self.going_roles, self.succeeded_roles = PodsByRole(), PodsByRole()

    def enter(self, pod: GroupedPod) -> None:
        self._count(pod, +1)
        waiting = pod.group.waiting
        if waiting is not None:
            self.alike.setdefault(_kind(pod.group, waiting), _Bucket(waiting.labels)).enter(
                pod.key, waiting, pod.group.role
            )

    def leave(self, pod: GroupedPod) -> None:
        self._count(pod, -1)
        if pod.group.waiting is not None:
            kind = _kind(pod.group, pod.group.waiting)
            self.alike[kind].leave(pod.key, pod.group.role)
            if not self.alike[kind].pods:
                del self.alike[kind]

    def _count(self, pod: GroupedPod, sign: int) -> None:
        self.pods += sign
        self.open += sign * (not pod.has_ended)
        self.waiting += sign * (pod.group.waiting is not None)
        if is_going(pod):
            self.going += sign
            self.going_roles.count(pod.group.role, sign)
        if _has_succeeded(pod):
            self.succeeded += sign
            self.deducted += sign * pod.group.least_is_left
            self.succeeded_roles.count(pod.group.role, sign)


class PodGroup:
    """The pods that name one Gang. ``changes`` grows with each change of a pod."""

    def __init__(self) -> None:
        self.pods: dict[PodKey, GroupedPod] = {}
        self.changes = 0
        self._all = _OwnersPods()
        self._by_owner: dict[str, _OwnersPods] = {}
        self._created: list[float] = []
        self._created_by_role = CreatedByRole()
        self._nodes: Counter[str] = Counter()
        self._terms = TermsOfPods()
        self._leaving: dict[PodKey, GroupedPod] = {}
        self.held = HeldByPods()

    def enter(self, pod: GroupedPod) -> None:
        """Add or update a pod."""
        self.leave(pod.key)
        self.changes += 1
        self.pods[pod.key] = pod
        self._all.enter(pod)
        self._terms.enter(pod)
        self._by_owner.setdefault(pod.group.owner, _OwnersPods()).enter(pod)
        if pod.group.waiting is not None:
            insort(self._created, pod.group.waiting.created)
            self._created_by_role.enter(pod.group.role, pod.group.waiting.created)
        if is_going(pod):
            self._nodes[pod.node] += 1
            self.held.enter(pod)
        elif _is_leaving(pod):
            self._leaving[pod.key] = pod

    def leave(self, key: PodKey) -> None:
        """Remove a pod, if it is there."""
        pod = self.pods.pop(key, None)
        if pod is None:
            return
        self.changes += 1
        owner = pod.group.owner
        self._all.leave(pod)
        self._terms.leave(pod)
        self._by_owner[owner].leave(pod)
        if not self._by_owner[owner].pods:
            del self._by_owner[owner]
        if pod.group.waiting is not None:
            del self._created[bisect_left(self._created, pod.group.waiting.created)]
            self._created_by_role.leave(pod.group.role, pod.group.waiting.created)
        if is_going(pod):
            self.held.leave(pod)
            self._nodes[pod.node] -= 1
            if not self._nodes[pod.node]:
                del self._nodes[pod.node]
        self._leaving.pop(key, None)

    @property
    def nodes(self) -> KeysView[str]:
        """The nodes with pods that we have bound, that have not ended and are not being deleted."""
        return self._nodes.keys()

    def going_pods(self) -> Iterator[GroupedPod]:
        """The pods that we have bound, that have not ended and are not being deleted."""
        return filter(is_going, self.pods.values())

    @property
    def going(self) -> int:
        """How many pods we have bound that have not ended and are not being deleted."""
        return self._all.going

    def going_of(self, owner: str) -> int:
        """How many of the pods in :attr:`going` belong to the owner with that UID, or do not name their owner."""
        return sum(one.going for one in self._parts(owner))

    @property
    def leaving(self) -> Collection[GroupedPod]:
        """The pods that we have bound and that are being deleted, while they take room."""
        return self._leaving.values()

    @property
    def waiting(self) -> int:
        """How many pods can be bound now."""
        return self._all.waiting

    def complete_since(self, least: int, roles: Iterable[PodRole] = ()) -> float | None:
        """The time at which enough of the waiting pods existed: ``least`` pods, and the minimum of each of ``roles``.

        None if fewer pods wait.
        """
        in_all = self._created[least - 1] if 0 < least <= len(self._created) else None
        of_roles = [self._created_by_role.complete_since(role.name, role.minimum) for role in roles]
        times = [time for time in (in_all, *of_roles) if time is not None]
        return max(times) if len(times) == len(of_roles) + 1 else None

    def own(self, owner: str | None, most_kinds: int, roles: Sequence[str] = ()) -> OwnPods:
        """The pods of the owner with that UID, or of all owners for None.

        Pods that do not name their owner count for every owner. At most ``most_kinds`` kinds are listed, and further
        kinds cost nothing. Pods are also counted for each of these ``roles``.
        """
        parts = self._parts(owner)
        alike = [
            PodsAlike(kind, len(bucket.pods), next(iter(bucket.pods)).name, bucket.labels, bucket.roles.of(roles))
            for kind, bucket in islice(_kinds(parts), most_kinds)
        ]
        return OwnPods(
            going=sum(one.going for one in parts),
            waiting=sum(one.waiting for one in parts),
            succeeded=sum(one.succeeded for one in parts),
            alike=alike,
            first_created=self.complete_since(1),
            terms=self.terms,
            going_roles=_summed(one.going_roles.of(roles) for one in parts),
            succeeded_roles=_summed(one.succeeded_roles.of(roles) for one in parts),
            deducted=sum(one.deducted for one in parts),
            open=sum(one.open for one in parts),
        )

    @property
    def terms(self) -> Sequence[SharedTerms]:
        """The terms of the group: two different terms if the pods disagree, and none if no pod has terms."""
        return self._terms.some()

    def one_waiting(self) -> PodKey | None:
        """One of the pods that can be bound now; None if there is none."""
        return next((key for _, pods in self.waiting_by_kind(None) for key in pods), None)

    def waiting_by_kind(self, owner: str | None) -> Iterator[tuple[PodKind, Mapping[PodKey, WaitingPod]]]:
        """The pods that can be bound now, by kind: of the owner with that UID, or of all owners for None."""
        return ((kind, bucket.pods) for kind, bucket in _kinds(self._parts(owner)))

    def _parts(self, owner: str | None) -> Sequence[_OwnersPods]:
        """The counts to add up for that owner, or for all owners."""
        if owner is None:
            return (self._all,)
        return tuple(self._by_owner.get(of, _NONE) for of in dict.fromkeys(("", owner)))


_NONE = _OwnersPods()


def _summed(counts: Iterable[Mapping[str, int]]) -> Mapping[str, int]:
    return sum(map(Counter, counts), Counter[str]())


def _kinds(parts: Iterable[_OwnersPods]) -> Iterator[tuple[PodKind, _Bucket]]:
    return chain.from_iterable(one.alike.items() for one in parts)


def is_going(pod: GroupedPod) -> bool:
    """Whether we have bound the pod, and it has neither ended nor is being deleted."""
    return pod.group.seat is not None and not (pod.has_ended or pod.is_deleting)


def _is_leaving(pod: GroupedPod) -> bool:
    return pod.group.seat is not None and pod.is_deleting and not pod.has_ended


def _has_succeeded(pod: GroupedPod) -> bool:
    # When the owner is suspended, a program that is asked to end may report success. The owner makes the pod of this
    # program again, so a pod that is being deleted does not count.
    return pod.phase is PodPhase.SUCCEEDED and not pod.is_deleting


def alone(pod: GroupedPod) -> PodsAlike | None:
    """The pod as the only one of its kind; None if it does not wait."""
    waiting = pod.group.waiting
    return None if waiting is None else PodsAlike(_kind(pod.group, waiting), 1, pod.key.name, waiting.labels)


def _kind(group: GroupMember, pod: WaitingPod) -> PodKind:
    return PodKind(pod.needs, pod.priority_class, pod.source, group.owner, pod.selected, pod.preempts)
