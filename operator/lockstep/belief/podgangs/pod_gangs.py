"""The Gangs and the pods that belong to them. None of these pods is in the roster, whose pods may be deleted."""

from collections.abc import Callable

from coschedule import GangKey
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.pod_gang import GroupedPod, PodGang, WaitingPod
from lockstep.facts.pods.pod import Membership, PodFact, PodKey

_NO_PODS = PodGroup()


class PodGangs:
    """What is known of Gangs. ``changed`` is called with each Gang whose pods have changed."""

    def __init__(self, changed: Callable[[GangKey], None]) -> None:
        self._changed = changed
        self._groups: dict[GangKey, PodGroup] = {}
        self.objects: dict[GangKey, PodGang] = {}

    def enter(self, pod: PodFact) -> None:
        """Add or update a pod."""
        if isinstance(pod, GroupedPod):
            self._groups.setdefault(pod.group.gang, PodGroup()).enter(pod)
            self._changed(pod.group.gang)

    def leave(self, pod: PodFact) -> None:
        """Remove a pod that is gone, or whose new fact is entered next."""
        if not isinstance(pod, GroupedPod):
            return
        group = self._groups.get(pod.group.gang)
        if group is not None:
            group.leave(pod.key)
            if not group.pods:
                del self._groups[pod.group.gang]
        self._changed(pod.group.gang)

    def group(self, gang: GangKey) -> PodGroup:
        """The pods of a Gang; it must not be changed."""
        return self._groups.get(gang, _NO_PODS)

    def waiting(self, gang: GangKey) -> dict[PodKey, WaitingPod]:
        """The pods of a Gang that can be bound now, by completion index and then by name."""
        return self.group(gang).waiting_pods()

    def seats(self, gang: GangKey) -> list[Membership]:
        """The seats of the pods of a Gang that are bound, as their Bindings say."""
        return [pod.group.seat for pod in self.group(gang).pods.values() if pod.group.seat is not None]
