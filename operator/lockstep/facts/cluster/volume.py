"""Volumes, the claims for them, and what nodes can attach, as facts."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from coschedule import NodeTerm
from lockstep.facts.pods.pod import LabelSelector


class ClaimKey(NamedTuple):
    """A PersistentVolumeClaim's place in the API."""

    namespace: str
    name: str


class VolumeWish(NamedTuple):
    """What a claim asks of its volume. ``storage_class``: None stands for the default one, '' for none at all."""

    storage_class: str | None
    size: int
    modes: frozenset[str]
    is_block: bool = False
    selector: LabelSelector | None = None
    attributes_class: str = ""


class Sharing(StrEnum):
    """Whose a claim is: of all members, of one pod and gone with it, or of one rank and kept over restarts."""

    SHARED = "Shared"
    EPHEMERAL = "Ephemeral"
    KEPT = "Kept"


class ClaimUse(NamedTuple):
    """Claims that a gang's members use, and the field of the GangJob that says so.

    ``claim`` is the name of a shared one. Others are made for the members with this ``wish``, and ``claim`` is the name
    of their volume, of which with the member's they get their own.
    """

    field: str
    claim: str
    sharing: Sharing = Sharing.SHARED
    wish: VolumeWish | None = None


class ClaimFact(NamedTuple):
    """One PersistentVolumeClaim: what it asks for, and to which volume it is bound.

    ``told`` is the node near which its volume is to be made, ``owner`` the UID of the GangJob or pod that it goes with,
    ``gang_size`` how many members the gang had for which it was made.
    """

    key: ClaimKey
    is_bound: bool
    is_deleting: bool
    volume: str
    wish: VolumeWish
    uid: str = ""
    told: str = ""
    owner: str = ""
    gang_size: int = 0


class CsiVolume(NamedTuple):
    """A volume as a CSI driver knows it."""

    driver: str
    handle: str


class VolumeHolder(NamedTuple):
    """For which claim a volume is; without a UID, for any of that name."""

    claim: ClaimKey
    uid: str


class VolumeOffer(NamedTuple):
    """What a volume has for a claim that looks for one; ``holder``: nobody else's claim can have it."""

    storage_class: str
    size: int
    modes: frozenset[str]
    is_block: bool
    labels: Mapping[str, str]
    attributes_class: str
    is_available: bool
    is_deleting: bool
    holder: VolumeHolder | None


class VolumeFact(NamedTuple):
    """One PersistentVolume: from which nodes it can be reached. Each of the affinities has to match."""

    name: str
    affinities: tuple[tuple[NodeTerm, ...], ...]
    csi: CsiVolume | None = None
    offer: VolumeOffer | None = None


class StorageClass(NamedTuple):
    """One StorageClass.

    ``waits``: a claim of it gets its volume once it is known where it will be used. ``topologies``: on nodes that match
    one of these, None on all. ``created`` decides between several defaults.
    """

    name: str
    provisioner: str
    waits: bool
    topologies: tuple[NodeTerm, ...] | None = None
    is_default: bool = False
    created: float = 0.0


class CsiDriver(NamedTuple):
    """One CSIDriver: whether it publishes where it has how much room."""

    name: str
    publishes_capacity: bool


class CapacityKey(NamedTuple):
    """A CSIStorageCapacity's place in the API."""

    namespace: str
    name: str


class StorageCapacity(NamedTuple):
    """One CSIStorageCapacity: the largest volume of a class that can be made for the nodes that ``nodes`` matches."""

    key: CapacityKey
    storage_class: str
    largest: int | None
    nodes: LabelSelector | None


class AttachLimits(NamedTuple):
    """How many volumes a node can attach, by driver; a driver that does not say so has no limit."""

    node: str
    limits: Mapping[str, int]


class Attachment(NamedTuple):
    """One VolumeAttachment: a driver attaches that PersistentVolume to a node, or has done so."""

    name: str
    node: str
    driver: str
    volume: str
