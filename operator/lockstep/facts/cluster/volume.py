"""Facts about volumes, claims, and the volumes that nodes can attach."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from coschedule import NodeTerm
from lockstep.facts.pods.pod import LabelSelector


class ClaimKey(NamedTuple):
    """A PersistentVolumeClaim's place in the API."""

    namespace: str
    name: str


class VolumeRequest(NamedTuple):
    """The request of a claim for its volume. ``storage_class``: None stands for the default class, '' for no class."""

    storage_class: str | None
    size: int
    modes: frozenset[str]
    is_block: bool = False
    selector: LabelSelector | None = None
    attributes_class: str = ""


class Sharing(StrEnum):
    """The users of a claim: all members, one pod (deleted with it), or one rank (kept over restarts)."""

    SHARED = "Shared"
    EPHEMERAL = "Ephemeral"
    KEPT = "Kept"


class ClaimUse(NamedTuple):
    """Claims that a gang's members use, and the field of the GangJob that asks for them.

    A shared claim has the name ``claim``. If claims are not shared, each member gets one with this ``request``. Then
    ``claim`` is the name of the volume in the pod, and names of claims consist of this name and the member's name.
    """

    field: str
    claim: str
    sharing: Sharing = Sharing.SHARED
    request: VolumeRequest | None = None


class ClaimFact(NamedTuple):
    """One PersistentVolumeClaim: its request, and the volume to which it is bound.

    ``selected_node`` is the node for which its volume is provisioned. ``owner`` is the UID of the GangJob or pod with
    which the claim is deleted. ``gang_size`` is the size of the gang when the claim was made.
    """

    key: ClaimKey
    is_bound: bool
    is_deleting: bool
    volume: str
    request: VolumeRequest
    uid: str = ""
    selected_node: str = ""
    owner: str = ""
    gang_size: int = 0


class CsiVolume(NamedTuple):
    """The identity of a volume for its CSI driver."""

    driver: str
    handle: str


class VolumeHolder(NamedTuple):
    """The claim for which a volume is reserved; without a UID, any claim of that name."""

    claim: ClaimKey
    uid: str


class VolumeOffer(NamedTuple):
    """The properties of a volume that matter to unbound claims. If it has a ``holder``, no other claim can get it."""

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
    """One PersistentVolume. A node reaches the volume if it matches at least one term of each of ``affinities``."""

    name: str
    affinities: tuple[tuple[NodeTerm, ...], ...]
    csi: CsiVolume | None = None
    offer: VolumeOffer | None = None


class StorageClass(NamedTuple):
    """One StorageClass.

    ``waits``: its binding mode is WaitForFirstConsumer. ``topologies``: volumes are provisioned only for nodes that
    match one of these; None means all nodes. ``created`` decides between several default classes.
    """

    name: str
    provisioner: str
    waits: bool
    topologies: tuple[NodeTerm, ...] | None = None
    is_default: bool = False
    created: float = 0.0


class CsiDriver(NamedTuple):
    """One CSIDriver; ``publishes_capacity``: whether it publishes CSIStorageCapacity objects."""

    name: str
    publishes_capacity: bool


class CapacityKey(NamedTuple):
    """A CSIStorageCapacity's place in the API."""

    namespace: str
    name: str


class StorageCapacity(NamedTuple):
    """One CSIStorageCapacity: the ``largest`` volume of a class, in bytes, that can be made for matching ``nodes``."""

    key: CapacityKey
    storage_class: str
    largest: int | None
    nodes: LabelSelector | None


class AttachLimits(NamedTuple):
    """How many volumes a node can attach, by driver; a driver without an entry has no limit."""

    node: str
    limits: Mapping[str, int]


class Attachment(NamedTuple):
    """One VolumeAttachment: a driver is attaching the PersistentVolume ``volume`` to a node, or has attached it."""

    name: str
    node: str
    driver: str
    volume: str
