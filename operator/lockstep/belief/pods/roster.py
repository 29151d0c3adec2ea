"""The pods of each gang: its members, and departed members."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager

from coschedule import GangKey
from lockstep.facts.pods.pod import PodFact, PodKey


class Roster:
    """The members of gangs by the gang's name and UID, whether or not the gang is in the cache.

    The UID alone is not enough: pods of other namespaces may name it, too.

    Departed members are gone; their last facts are kept. The caller forgets them with their attempt, so a gang never
    has more departed members than members.
    """

    def __init__(self) -> None:
        self._members: dict[tuple[GangKey, str], dict[PodKey, PodFact]] = {}
        self._uids: dict[GangKey, set[str]] = {}
        self._departed: dict[str, dict[PodKey, PodFact]] = {}
        self._listeners: dict[object, set[str]] = {}

    def enter(self, pod: PodFact) -> None:
        """Add or update a pod; a pod that is no member is ignored."""
        if pod.member is not None:
            self._members.setdefault((pod.member.gang, pod.member.gang_uid), {})[pod.key] = pod
            self._uids.setdefault(pod.member.gang, set()).add(pod.member.gang_uid)

    def leave(self, pod: PodFact) -> None:
        """Remove a pod that is gone, or whose new fact is entered next."""
        if pod.member is None:
            return
        identity = pod.member.gang, pod.member.gang_uid
        pods = self._members.get(identity, {})
        pods.pop(pod.key, None)
        if not pods:
            self._members.pop(identity, None)
            uids = self._uids.get(pod.member.gang, set())
            uids.discard(pod.member.gang_uid)
            if not uids:
                self._uids.pop(pod.member.gang, None)

    @contextmanager
    def collecting_removed(self) -> Iterator[set[str]]:
        """Collect the UIDs of all members that are removed while the block runs, whatever their gang."""
        listener = object()
        try:
            yield self._listeners.setdefault(listener, set())
        finally:
            del self._listeners[listener]

    def report_gone(self, pod: PodFact) -> None:
        """Report that a member is gone to each block that collects UIDs."""
        for gone in self._listeners.values():
            gone.add(pod.uid)

    def keep_departed(self, gang_uid: str, pod: PodFact) -> None:
        """Keep the last fact of a member of the current attempt that is gone."""
        self._departed.setdefault(gang_uid, {})[pod.key] = pod

    def forget_departed(self, gang_uid: str, *, keep: Collection[PodKey] = ()) -> None:
        """Forget the departed members of a gang, except ``keep``: the attempt of these goes on."""
        departed = self._departed.pop(gang_uid, {})
        kept = {key: pod for key, pod in departed.items() if key in keep}
        if kept:
            self._departed[gang_uid] = kept

    def members(self, gang: GangKey, gang_uid: str) -> dict[PodKey, PodFact]:
        """The existing pods of all the gang's attempts."""
        return self._members.get((gang, gang_uid), {})

    def departed(self, gang_uid: str) -> dict[PodKey, PodFact]:
        """The gang's departed members, as they were last seen."""
        return self._departed.get(gang_uid, {})

    def names(self) -> Iterable[GangKey]:
        """The names of all gangs that have members."""
        return self._uids.keys()

    def others(self, name: GangKey, gang_uid: str | None) -> Iterator[PodFact]:
        """The members of all gangs of that name, except members of the gang with that UID."""
        for uid in self._uids.get(name, ()):
            if uid != gang_uid:
                yield from self.members(name, uid).values()
