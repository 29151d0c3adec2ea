"""Effects of pods on other pods, besides the resources they take: anti-affinity, labels, claims and nominations.

A nominated pod is a pod for which a scheduler makes room. Most pods have no such effect, and cost nothing here.
"""

from collections.abc import Callable, Iterable

from lockstep.belief.pods.anti_affinity import AntiAffinities
from lockstep.belief.pods.pods_by_label import PodsByLabel
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.pods.pod import PodFact


class PodsNearby:
    """The pods that are on a node and have not ended, and nominated pods. A pod that was entered has to leave later.

    ``pods`` returns all pods in the cache. ``users_changed`` is called with a node whose pods use other claims than
    before.
    """

    def __init__(self, pods: Callable[[], Iterable[PodFact]], *, users_changed: Callable[[str], None]) -> None:
        self._users_changed = users_changed
        self.anti_affinity = AntiAffinities()
        self.pods_by_label = PodsByLabel(lambda: filter(takes_room, pods()))
        self._users: dict[ClaimKey, dict[str, PodFact]] = {}
        self._claiming: dict[str, dict[str, PodFact]] = {}
        self.nominated: dict[str, PodFact] = {}
        # Pods whose labels were too many to read, by UID: any label may be among them.
        self.unread: dict[str, PodFact] = {}

    def enter(self, pod: PodFact) -> None:
        """Enter a pod that takes room or is nominated; other pods have no effect."""
        if is_nominated(pod):
            self.nominated[pod.uid] = pod
        if not takes_room(pod):
            return
        self.pods_by_label.enter(pod)
        if pod.has_unread_labels:
            self.unread[pod.uid] = pod
        self.anti_affinity.enter(pod)
        for claim in pod.claims:
            self._users.setdefault(ClaimKey(pod.key.namespace, claim), {})[pod.uid] = pod
        if pod.claims:
            self._claiming.setdefault(pod.node, {})[pod.uid] = pod
            self._users_changed(pod.node)

    def leave(self, pod: PodFact) -> None:
        """Remove the entries of a pod; ``pod`` must be the fact with which it was entered."""
        self.nominated.pop(pod.uid, None)
        if not takes_room(pod):
            return
        self.pods_by_label.leave(pod)
        self.unread.pop(pod.uid, None)
        self.anti_affinity.leave(pod)
        for claim in pod.claims:
            key = ClaimKey(pod.key.namespace, claim)
            users = self._users[key]
            del users[pod.uid]
            if not users:
                del self._users[key]
        if pod.claims:
            del self._claiming[pod.node][pod.uid]
            if not self._claiming[pod.node]:
                del self._claiming[pod.node]
            self._users_changed(pod.node)

    def change(self, before: PodFact, pod: PodFact) -> None:
        """Replace ``before`` by ``pod`` if their effects on other pods differ, which is rare."""
        if _meaning(before) != _meaning(pod):
            self.leave(before)
            self.enter(pod)

    def may_change_placement(self, before: PodFact | None, pod: PodFact) -> bool:
        """Whether a change of a pod may change other pods' placement, apart from the room it takes."""
        if is_nominated(pod) or (before is not None and is_nominated(before)):
            return True
        return self.pods_by_label.are_asked_for and before is not None and before.labels != pod.labels

    def users(self, claim: ClaimKey) -> Iterable[PodFact]:
        """The pods that use the claim."""
        return self._users.get(claim, {}).values()

    def claiming(self, node: str) -> Iterable[PodFact]:
        """The pods of the node that use claims."""
        return self._claiming.get(node, {}).values()


def takes_room(pod: PodFact) -> bool:
    """Whether the pod is on a node and has not ended."""
    return bool(pod.node) and not pod.has_ended


def _meaning(pod: PodFact) -> tuple[object, ...]:
    """All properties of a pod that matter for other pods."""
    place = (
        takes_room(pod),
        pod.node,
        pod.labels,
        pod.has_unread_labels,
        pod.anti_affinity_terms,
        pod.claims,
        pod.member,
    )
    return (*place, is_nominated(pod), pod.nominated, pod.priority, pod.request)


def is_nominated(pod: PodFact) -> bool:
    """Whether a scheduler has nominated a node for the pod, and the pod is on no node yet."""
    return bool(pod.nominated) and not pod.node and not pod.has_ended
