"""Owners that run and whose number of pods may change, and the needs of their pods."""

from collections.abc import KeysView
from typing import NamedTuple

from coschedule import GangKey
from lockstep.belief.podgangs.own_pods import OwnPods, PodsAlike
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner


class RunningPods(NamedTuple):
    """The needs of an owner's pods: ``varying`` for pods whose number may change, ``fixed`` for the others, if any."""

    varying: PodsAlike
    fixed: PodsAlike | None = None


def has_fixed_pods(group: PodGroup, owner: SizedOwner) -> bool:
    """Whether nodes have varying pods of the owner, and exactly as many fixed pods as the owner states.

    The cost does not depend on the number of pods.
    """
    if owner.elastic is None:
        return False
    role = owner.elastic.role
    pods = group.own(owner.uid, 0, (role,) if role else ())
    varying = pods.going_roles.get(role, 0) if role else pods.going
    return varying > 0 and pods.going - varying == owner.elastic.fixed


class ElasticOwners:
    """Owners by the Gangs that are made for them. Only owners whose number of pods may change now are kept."""

    def __init__(self) -> None:
        self._owners: dict[GangKey, SizedOwner] = {}
        self._needs: dict[GangKey, RunningPods] = {}

    def apply(self, owner: SizedOwner) -> bool:
        """Add or update an owner, or remove it if its number of pods may not change.

        Returns whether anything but the owner's resource version has changed. The version alone changes whenever the
        status of the owner counts its pods anew.
        """
        known = self._owners.get(owner.gang)
        if owner.elastic is None:
            return self.remove(owner.gang, owner.uid)
        if known is not None and known.uid != owner.uid:
            self._needs.pop(owner.gang, None)
        self._owners[owner.gang] = owner
        return known is None or known._replace(resource_version=owner.resource_version) != owner

    def remove(self, gang: GangKey, uid: str) -> bool:
        """Forget an owner. Returns whether it was known."""
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
        """The owner of that Gang, if its number of pods may change; None otherwise."""
        return self._owners.get(gang)

    def cut_off(self, gang: PodGang, pods: OwnPods) -> int | None:
        """The number of pods to which an owner has to go back; None if it keeps its number.

        If a Gang is deleted and created again while its owner grows, its status does not have the growth. So the owner
        goes back to the number of its running ``pods``, but only if it began with no more pods than that.
        """
        owner, status = self._owners.get(gang.key), gang.status
        is_new = status.size is None and status.reserved_at is None
        if not is_new or owner is None or owner.elastic is None or owner.uid != gang.made_for:
            return None
        least = min(pods.going, owner.elastic.pods)
        return least if owner.elastic.first <= least < max(pods.going + pods.waiting, owner.elastic.pods) else None

    def learn(self, gang: GangKey, uid: str, pods: RunningPods) -> None:
        """Record the needs of the owner's pods, unless the Gang has another owner now."""
        known = self._owners.get(gang)
        if known is not None and known.uid == uid:
            self._needs[gang] = pods

    def needs(self, gang: GangKey) -> RunningPods | None:
        """The needs of the owner's pods; None while they are unknown."""
        return self._needs.get(gang)
