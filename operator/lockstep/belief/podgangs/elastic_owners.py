"""The owners that run and whose number of pods may change, and what their pods need."""

from collections.abc import KeysView
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.podgangs.pod_group import OwnPods, PodGroup, PodsAlike
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner


class RunningPods(NamedTuple):
    """What pods of an owner need: each of those whose number may change, and each of the others, if there are any."""

    varying: PodsAlike
    fixed: PodsAlike | None = None


def has_fixed_pods(group: PodGroup, owner: SizedOwner) -> bool:
    """Whether pods of the owner are on nodes whose number may change, and as many others as it says.

    No question depends on the number of pods.
    """
    if owner.elastic is None:
        return False
    role = owner.elastic.role
    pods = group.own(owner.uid, 0, (role,) if role else ())
    varying = pods.going_roles.get(role, 0) if role else pods.going
    return varying > 0 and pods.going - varying == owner.elastic.fixed


class ElasticOwners:
    """Owners by the Gangs that are made for them. Only those are kept whose number of pods may change now."""

    def __init__(self) -> None:
        self._owners: dict[GangKey, SizedOwner] = {}
        self._needs: dict[GangKey, RunningPods] = {}

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

    def learn(self, gang: GangKey, uid: str, pods: RunningPods) -> None:
        """Record what the pods of that owner need."""
        known = self._owners.get(gang)
        if known is not None and known.uid == uid:
            self._needs[gang] = pods

    def needs(self, gang: GangKey) -> RunningPods | None:
        """What the pods of the owner need; None while that is unknown."""
        return self._needs.get(gang)
