"""The existing volume that a claim gets, chosen as kube-scheduler does. Kubernetes then binds the two."""

from collections.abc import Iterable
from typing import NamedTuple

from lockstep.api.label_selectors import selects
from lockstep.facts.cluster.volume import ClaimKey, VolumeFact, VolumeOffer, VolumeRequest


class Seeker(NamedTuple):
    """A claim that needs a volume. A claim without a UID does not exist yet.

    ``selected_node`` is the node for which its volume is provisioned; '' if none is selected.
    """

    key: ClaimKey
    request: VolumeRequest
    uid: str = ""
    selected_node: str = ""


def candidates(seeker: Seeker, volumes: Iterable[VolumeFact]) -> tuple[VolumeFact, ...]:
    """The volumes that suit a claim on any node, in the order of choice.

    A volume that is reserved for the claim is the only choice; otherwise smaller volumes come first.
    """
    suiting = [one for one in volumes if one.offer is not None and _suits(seeker, one.offer)]
    reserved = [one for one in suiting if one.offer is not None and is_reserved_for(one.offer, seeker)]
    if reserved:
        return (reserved[0],)
    free = [(one.offer.size, one.name, one) for one in suiting if one.offer and _is_free(seeker.request, one.offer)]
    return tuple(one for *_, one in sorted(free, key=lambda it: it[:2]))


def is_reserved_for(offer: VolumeOffer, seeker: Seeker) -> bool:
    """Whether the volume is reserved for that claim, or for any claim of the same name."""
    return offer.holder is not None and offer.holder.claim == seeker.key and offer.holder.uid in ("", seeker.uid)


def _suits(seeker: Seeker, offer: VolumeOffer) -> bool:
    """Whether the volume suits the claim and is not reserved for another claim."""
    request = seeker.request
    return (
        offer.storage_class == request.storage_class
        and (offer.holder is None or is_reserved_for(offer, seeker))
        and offer.size >= request.size
        and offer.is_block == request.is_block
        and offer.attributes_class == request.attributes_class
        and not offer.is_deleting
    )


def _is_free(request: VolumeRequest, offer: VolumeOffer) -> bool:
    return (
        offer.is_available
        and request.modes <= offer.modes
        and (request.selector is None or selects(request.selector, offer.labels))
    )
