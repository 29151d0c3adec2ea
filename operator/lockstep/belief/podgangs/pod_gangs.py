"""The Gangs and the pods that belong to them. None of these pods is in the roster, whose pods may be deleted."""

from collections.abc import Callable

from coschedule import GangKey
from lockstep.facts.gang.pod_gang import GroupedPod, PodGang, WaitingPod
from lockstep.facts.pods.pod import Membership, PodFact, PodKey


class PodGangs:
    """What is known of Gangs. ``changed`` is called with each Gang whose pods have changed."""

    def __init__(self, changed: Callable[[GangKey], None]) -> None:
        self._changed = changed
        self._pods: dict[GangKey, dict[PodKey, GroupedPod]] = {}
        self.objects: dict[GangKey, PodGang] = {}

    def enter(self, pod: PodFact) -> None:
        """Add or update a pod."""
        if isinstance(pod, GroupedPod):
            self._pods.setdefault(pod.group.gang, {})[pod.key] = pod
            self._changed(pod.group.gang)

    def leave(self, pod: PodFact) -> None:
        """Remove a pod that is gone, or whose new fact is entered next."""
        if not isinstance(pod, GroupedPod):
            return
        pods = self._pods.get(pod.group.gang, {})
        pods.pop(pod.key, None)
        if not pods:
            self._pods.pop(pod.group.gang, None)
        self._changed(pod.group.gang)

    def pods(self, gang: GangKey) -> list[GroupedPod]:
        """All pods with the label of that Gang."""
        return list(self._pods.get(gang, {}).values())

    def waiting(self, gang: GangKey) -> dict[PodKey, WaitingPod]:
        """The pods of a Gang that can be bound now, by completion index and then by name."""
        waiting = [(pod.key, pod.group.waiting) for pod in self.pods(gang) if pod.group.waiting]
        return dict(sorted(waiting, key=lambda one: (one[1].completion_index, one[0])))

    def going(self, gang: GangKey) -> int:
        """How many pods of a Gang are on nodes, have not ended and are not being deleted."""
        return sum(bool(pod.node) and not (pod.has_ended or pod.is_deleting) for pod in self.pods(gang))

    def seats(self, gang: GangKey) -> list[Membership]:
        """The seats of the pods of a Gang that are bound, as their Bindings say."""
        return [pod.group.seat for pod in self.pods(gang) if pod.group.seat is not None]
