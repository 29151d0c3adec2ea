"""Suspended owners that wait for a size, and the needs of their future pods."""

from collections.abc import KeysView

from coschedule import GangKey
from lockstep.belief.podgangs.own_pods import SizedPods
from lockstep.facts.gang.sized_owner import SizedOwner


class SizedOwners:
    """Owners by the Gangs that are made for them. Only owners that wait for a size are kept."""

    def __init__(self) -> None:
        self._owners: dict[GangKey, SizedOwner] = {}
        self._pods: dict[GangKey, SizedPods] = {}

    def apply(self, owner: SizedOwner) -> None:
        """Add or update an owner, or remove it if it does not wait for a size.

        After a change of the owner, the needs of its pods are unknown.
        """
        if owner.awaits_size:
            if self._owners.get(owner.gang) != owner:
                self._pods.pop(owner.gang, None)
            self._owners[owner.gang] = owner
        else:
            self.remove(owner.gang, owner.uid)

    def remove(self, gang: GangKey, uid: str) -> None:
        """Forget an owner."""
        known = self._owners.get(gang)
        if known is not None and known.uid == uid:
            del self._owners[gang]
            self._pods.pop(gang, None)

    def gangs(self) -> KeysView[GangKey]:
        """The Gangs of the owners that wait for a size."""
        return self._owners.keys()

    def of(self, gang: GangKey) -> SizedOwner | None:
        """The owner that waits for a size; None if there is none."""
        return self._owners.get(gang)

    def learn(self, gang: GangKey, uid: str, version: str, pods: SizedPods) -> None:
        """Record the needs of an owner's future pods, unless the owner is not that ``version`` any more."""
        known = self._owners.get(gang)
        if known is not None and (known.uid, known.resource_version) == (uid, version):
            self._pods[gang] = pods

    def pods(self, gang: GangKey, owner: str | None) -> SizedPods | None:
        """The pods that the owner would have at its size; None while they are unknown, or for another owner."""
        known = self._owners.get(gang)
        return self._pods.get(gang) if known is not None and known.uid == owner else None

    def is_unknown(self, gang: GangKey) -> bool:
        """Whether an owner waits and the needs of its pods are unknown."""
        return gang in self._owners and gang not in self._pods
