"""Workloads of Kueue: what Kueue has given to one, and what the AdmissionChecks of it say."""

from enum import StrEnum
from typing import NamedTuple

from coschedule import GangKey


class CheckState(StrEnum):
    """What an AdmissionCheck says of a Workload, as Kueue names it."""

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


class Workload(NamedTuple):
    """A Workload, and the Gang that is made for it.

    ``pods`` are those that name Lockstep as their scheduler, as many as have quota. ``version`` changes with its spec
    and its quota, but not with its ``checks``. It has quota since ``quota_since``; None if it has none.
    """

    gang: GangKey
    name: str
    uid: str
    version: str
    pods: int
    quota_since: float | None
    checks: tuple[StatedCheck, ...]
