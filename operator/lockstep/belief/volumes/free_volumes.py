"""Volumes that claims could get: free ones by storage class, reserved ones by claim."""

from collections.abc import Hashable, Iterator
from typing import TypeVar

from lockstep.belief.volumes.volume_choice import Seeker, candidates
from lockstep.facts.cluster.volume import ClaimKey, VolumeFact

Key = TypeVar("Key", bound=Hashable)


class FreeVolumes:
    """The volumes that claims could get. A volume that was entered has to leave later."""

    def __init__(self) -> None:
        self._free: dict[str, dict[str, VolumeFact]] = {}
        self._reserved: dict[ClaimKey, dict[str, VolumeFact]] = {}

    def enter(self, volume: VolumeFact) -> None:
        """Add a volume."""
        if volume.offer is not None and volume.offer.holder is not None:
            self._reserved.setdefault(volume.offer.holder.claim, {})[volume.name] = volume
        elif volume.offer is not None:
            self._free.setdefault(volume.offer.storage_class, {})[volume.name] = volume

    def leave(self, volume: VolumeFact) -> None:
        """Remove a volume that is gone, or whose new fact is entered next."""
        if volume.offer is not None and volume.offer.holder is not None:
            _take_off(self._reserved, volume.offer.holder.claim, volume)
        elif volume.offer is not None:
            _take_off(self._free, volume.offer.storage_class, volume)

    def has_reserved(self, claim: ClaimKey) -> bool:
        """Whether any volume is reserved for that claim."""
        return claim in self._reserved

    def candidates(self, seeker: Seeker) -> tuple[VolumeFact, ...]:
        """The volumes that the claim could get, in the order of choice."""
        return () if seeker.selected_node else candidates(seeker, self._of(seeker))

    def _of(self, seeker: Seeker) -> Iterator[VolumeFact]:
        yield from (volume for _, volume in sorted(self._reserved.get(seeker.key, {}).items()))
        yield from self._free.get(seeker.request.storage_class or "", {}).values()


def _take_off(volumes_by: dict[Key, dict[str, VolumeFact]], key: Key, volume: VolumeFact) -> None:
    volumes = volumes_by[key]
    del volumes[volume.name]
    if not volumes:
        del volumes_by[key]
