"""Volumes, the claims for them, and what nodes can attach, as facts."""

from collections.abc import Mapping
from typing import NamedTuple

from coschedule import NodeTerm


class ClaimKey(NamedTuple):
    """A PersistentVolumeClaim's place in the API."""

    namespace: str
    name: str


class ClaimUse(NamedTuple):
    """A claim that a template names, and the field of the pod spec that does."""

    field: str
    claim: str


class ClaimFact(NamedTuple):
    """One PersistentVolumeClaim: to which volume it is bound, and how that may be used."""

    key: ClaimKey
    is_bound: bool
    is_deleting: bool
    volume: str
    modes: frozenset[str]


class CsiVolume(NamedTuple):
    """A volume as a CSI driver knows it."""

    driver: str
    handle: str


class VolumeFact(NamedTuple):
    """One PersistentVolume: from which nodes it can be reached. Each of the affinities has to match."""

    name: str
    affinities: tuple[tuple[NodeTerm, ...], ...]
    csi: CsiVolume | None = None


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
