"""The UID of each gang. Statuses name gangs of other namespaces by UID only."""

from coschedule import GangKey
from lockstep.api.preemption import GangUid, Preemptor
from lockstep.facts.gang.gang import GangFact


class GangUids:
    """The UIDs of all gangs."""

    def __init__(self) -> None:
        self._keys: dict[GangUid, GangKey] = {}
        self._uids: dict[GangKey, GangUid] = {}

    def learn(self, gang: GangFact) -> None:
        """Record the UID of a gang, in place of the UID of an earlier gang of the same name."""
        uid = GangUid(gang.uid)
        if self._uids.get(gang.key) != uid:
            self.forget(gang.key)
            self._uids[gang.key], self._keys[uid] = uid, gang.key

    def forget(self, gang: GangKey) -> None:
        """Forget a gang that is gone."""
        uid = self._uids.pop(gang, None)
        if uid is not None and self._keys.get(uid) == gang:
            del self._keys[uid]

    def key(self, named: Preemptor | None) -> GangKey | None:
        """The key of the gang that a status names; None if it names no gang, or a UID that no gang has."""
        return self._keys.get(named) if isinstance(named, GangUid) else named

    def uid(self, gang: GangKey) -> GangUid | None:
        """The UID of a gang; None if there is no such gang."""
        return self._uids.get(gang)
