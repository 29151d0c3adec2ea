"""What pods mean for others beyond the resources they take: whom they keep away, which claims they use.

Also for which pods room is being made, by preemption or before they are bound. Most pods mean nothing of the kind, and
cost nothing here.
"""

from collections.abc import Callable, Iterable

from lockstep.belief.pods.anti_affinity import KeepingAway
from lockstep.belief.pods.pods_by_label import Whereabouts
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.pods.pod import PodFact


def _ignored(_: str) -> None:
    """No caller asks which nodes have pods that use claims."""


class Neighbours:
    """The pods that are on a node and have not ended: whoever enters one leaves it, too.

    ``pods`` are all that belief has. ``users_changed`` is called with a node whose pods come to use other claims.
    """

    def __init__(
        self, pods: Callable[[], Iterable[PodFact]], *, users_changed: Callable[[str], None] = _ignored
    ) -> None:
        self._users_changed = users_changed
        self.keeping_away = KeepingAway()
        self.whereabouts = Whereabouts(lambda: filter(takes_room, pods()))
        self._users: dict[ClaimKey, dict[str, PodFact]] = {}
        self._claiming: dict[str, dict[str, PodFact]] = {}
        self.nominated: dict[str, PodFact] = {}
        # Pods that may have any labels, by UID.
        self.unread: dict[str, PodFact] = {}

    def enter(self, pod: PodFact) -> None:
        """Count a pod; one that takes no room, and for which none is being made, means nothing."""
        if is_nominated(pod):
            self.nominated[pod.uid] = pod
        if not takes_room(pod):
            return
        self.whereabouts.enter(pod)
        if pod.has_unread_labels:
            self.unread[pod.uid] = pod
        self.keeping_away.enter(pod)
        for claim in pod.claims:
            self._users.setdefault(ClaimKey(pod.key.namespace, claim), {})[pod.uid] = pod
        if pod.claims:
            self._claiming.setdefault(pod.node, {})[pod.uid] = pod
            self._users_changed(pod.node)

    def leave(self, pod: PodFact) -> None:
        """Undo what entering that fact has done."""
        self.nominated.pop(pod.uid, None)
        if not takes_room(pod):
            return
        self.whereabouts.leave(pod)
        self.unread.pop(pod.uid, None)
        self.keeping_away.leave(pod)
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
        """A pod that was so before is so now; most of what changes of pods means nothing for others."""
        if _meaning(before) != _meaning(pod):
            self.leave(before)
            self.enter(pod)

    def is_news(self, before: PodFact | None, pod: PodFact) -> bool:
        """Whether a pod that was so before, if it was known, may change where others go, the room it takes aside."""
        if is_nominated(pod) or (before is not None and is_nominated(before)):
            return True
        return self.whereabouts.are_asked_for and before is not None and before.labels != pod.labels

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
    """All that others mind of a pod."""
    place = takes_room(pod), pod.node, pod.labels, pod.has_unread_labels, pod.keeps_away, pod.claims, pod.member
    return (*place, is_nominated(pod), pod.nominated, pod.priority, pod.request)


def is_nominated(pod: PodFact) -> bool:
    """Whether a scheduler makes room for the pod, which is on no node yet."""
    return bool(pod.nominated) and not pod.node and not pod.has_ended
