"""Reserved members that no watch has shown yet. Counts of existing pods do not include them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from coschedule import GangKey
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.pods.pod import PodKey


@dataclass(slots=True)
class _Unseen:
    """The roles of one gang's unseen members by pod, and the number of members by role."""

    roles: dict[PodKey, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)


class UnseenMembers:
    """The unseen members of all gangs, counted pod by pod, so that no caller reads all members again.

    A member that a watch has shown once stays seen. ``changes`` grows whenever unseen members are added or removed.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._gangs: dict[GangKey, _Unseen] = {}
        self._by_namespace: dict[str, set[GangKey]] = {}
        self._by_pod: dict[PodKey, GangKey] = {}

    def expect(self, reservation: Reservation, *, is_seen: Callable[[PodKey], bool]) -> None:
        """Add the members of a reservation that are not seen yet."""
        self.forget(reservation.gang)
        unseen = _Unseen()
        for _, role, _, pod in reservation.by_rank():
            if not is_seen(pod):
                unseen.roles[pod] = role
                self._by_pod[pod] = reservation.gang
        unseen.counts.update(unseen.roles.values())
        if unseen.roles:
            self.changes += 1
            self._gangs[reservation.gang] = unseen
            self._by_namespace.setdefault(reservation.gang.namespace, set()).add(reservation.gang)

    def see(self, pod: PodKey) -> None:
        """Remove a member whose pod a watch has shown."""
        gang = self._by_pod.pop(pod, None)
        if gang is None:
            return
        self.changes += 1
        unseen = self._gangs[gang]
        unseen.counts[unseen.roles.pop(pod)] -= 1
        if not unseen.roles:
            self._drop(gang)

    def forget(self, gang: GangKey) -> None:
        """Remove all unseen members of a gang."""
        unseen = self._gangs.get(gang)
        if unseen is not None:
            self.changes += 1
            for pod in unseen.roles:
                del self._by_pod[pod]
            self._drop(gang)

    def in_namespace(self, namespace: str) -> Iterator[tuple[GangKey, Mapping[str, int]]]:
        """The gangs of a namespace that have unseen members, each with the number of these members by role."""
        return ((gang, self._gangs[gang].counts) for gang in self._by_namespace.get(namespace, ()))

    def _drop(self, gang: GangKey) -> None:
        del self._gangs[gang]
        namespace, _ = gang
        gangs = self._by_namespace[namespace]
        gangs.discard(gang)
        if not gangs:
            del self._by_namespace[namespace]
