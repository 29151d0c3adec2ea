"""Workloads of Kueue: their quota, and the states of their AdmissionChecks."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from coschedule import GangKey
from lockstep.facts.document import Document


class CheckState(StrEnum):
    """The state of an AdmissionCheck for a Workload, with Kueue's names."""

    PENDING = "Pending"
    READY = "Ready"
    RETRY = "Retry"
    """The quota is given back, and the Workload is queued again."""
    REJECTED = "Rejected"
    """The Workload is deactivated."""


class StatedCheck(NamedTuple):
    """The state of the AdmissionCheck of that name."""

    name: str
    state: str


class AdmissionCheck(NamedTuple):
    """An AdmissionCheck, whether Lockstep is its controller, and whether its status says that it is active."""

    name: str
    is_ours: bool
    is_active: bool


class Flavor(NamedTuple):
    """A ResourceFlavor. ``terms`` is the part that selects the nodes for pods with quota of this flavor."""

    name: str
    terms: Document


class Quota(NamedTuple):
    """The quota of one pod set of a GangJob's Workload: this number of members, in these ResourceFlavors."""

    members: int
    flavors: tuple[str, ...] = ()


class Conditions(NamedTuple):
    """Which conditions of a Workload are True."""

    is_admitted: bool = False
    is_evicted: bool = False
    is_finished: bool = False


class GangWorkload(NamedTuple):
    """The Workload that the operator made for the GangJob ``gang`` with the UID ``gang_uid``, for its ``queue``.

    ``quotas`` are by the name of the pod set. The Workload has quota since ``quota_since``; None if it has none.
    ``says`` is Kueue's message about why it has no quota, or loses it. ``is_off``: it is deactivated, or is being
    deleted.
    """

    gang: GangKey
    gang_uid: str
    name: str
    uid: str
    queue: str
    is_off: bool = False
    quota_since: float | None = None
    quotas: Mapping[str, Quota] = MappingProxyType({})
    conditions: Conditions = Conditions()
    checks: tuple[StatedCheck, ...] = ()
    says: str = ""


class Workload(NamedTuple):
    """A Workload, and the Gang that is made for it.

    ``pods`` is the number of its pods with quota that name Lockstep as their scheduler. ``version`` changes with its
    spec and its quota, but not with its ``checks``. It has quota since ``quota_since``; None if it has none.
    """

    gang: GangKey
    name: str
    uid: str
    version: str
    pods: int
    quota_since: float | None
    checks: tuple[StatedCheck, ...]
