"""The owners that run and whose number of pods may change, and what one of their pods needs."""

from collections.abc import KeysView

from coschedule import GangKey
from lockstep.belief.podgangs.pod_group import OwnPods, PodsAlike
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner


class ElasticOwners:
    """Owners by the Gangs that are made for them. Only those are kept whose number of pods may change now."""

    def __init__(self) -> None:
        self._owners: dict[GangKey, SizedOwner] = {}
        self._needs: dict[GangKey, PodsAlike] = {}

    def apply(self, owner: SizedOwner) -> bool:
        """Add or update an owner; returns whether its number of pods may change in another way than before.

        The status of an owner changes with each of its pods, which says nothing new.
        """
        known = self._owners.get(owner.gang)
        if owner.elastic is None:
            return self.remove(owner.gang, owner.uid)
        if known is not None and known.uid != owner.uid:
            self._needs.pop(owner.gang, None)
        self._owners[owner.gang] = owner
        return known is None or known._replace(resource_version=owner.resource_version) != owner

    def remove(self, gang: GangKey, uid: str) -> bool:
        """Forget an owner, if it is known."""
        known = self._owners.get(gang)
        if known is None or known.uid != uid:
            return False
        del self._owners[gang]
        self._needs.pop(gang, None)
        return True

    def gangs(self) -> KeysView[GangKey]:
        """The Gangs of these owners."""
        return self._owners.keys()

    def of(self, gang: GangKey) -> SizedOwner | None:
        """The owner of that Gang whose number of pods may change, if there is one."""
        return self._owners.get(gang)

    def cut_off(self, gang: PodGang, pods: OwnPods) -> int | None:
        """How many ``pods`` an owner is to have that was growing when its Gang was deleted, until it has no others.

        That is as many as run, if these are no fewer than it has begun with. None for all other owners: a Gang with a
        size has known its owner all the time.
        """
        owner, status = self._owners.get(gang.key), gang.status
        is_new = status.size is None and status.reserved_at is None
        if not is_new or owner is None or owner.elastic is None or owner.uid != gang.made_for:
            return None
        least = min(pods.going, owner.elastic.pods)
        return least if owner.elastic.first <= least < max(pods.going + pods.waiting, owner.elastic.pods) else None

    def learn(self, gang: GangKey, uid: str, pods: PodsAlike) -> None:
        """Record what a pod of that owner needs; all of its pods are alike."""
        known = self._owners.get(gang)
        if known is not None and known.uid == uid:
            self._needs[gang] = pods

    def needs(self, gang: GangKey) -> PodsAlike | None:
        """What a pod of the owner needs; None while that is unknown."""
        return self._needs.get(gang)
