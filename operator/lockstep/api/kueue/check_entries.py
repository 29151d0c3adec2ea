"""Writes the entries of our AdmissionChecks in the status of a Workload, and no other entries."""

from collections.abc import Collection
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.api.podgang.kueue import admitted_pods
from lockstep.api.times import rfc3339
from lockstep.facts.gang.workload import CheckState

# The most characters of a message. Kueue accepts 32,768, but people read fewer.
_LONGEST_MESSAGE = 1_000


class CheckEntry(NamedTuple):
    """The answer of our checks about a Workload. If it is ``READY``, ``gang`` is the Gang that the pods will name.

    An answer of ``RETRY`` never states a time after which the Workload is queued again. Kueue 0.17 would keep the
    Workload's quota and pods until such a time, and evict the Workload only then. Without a time, Kueue evicts the
    Workload and queues it at once.
    """

    state: CheckState
    message: str
    gang: str = ""


def without_start(why: str, quota_since: float | None, patience: float, now: float) -> CheckEntry:
    """The answer about a Workload without a known start.

    If the Workload has had its quota for ``patience`` seconds, the answer gives the quota back.
    """
    if now < gives_back_at(quota_since, patience):
        return CheckEntry(CheckState.PENDING, why)
    return CheckEntry(
        CheckState.RETRY, f"No start is known after {patience:.0f} s, so Lockstep gives the quota back: {why}"
    )


def gives_back_at(quota_since: float | None, patience: float) -> float:
    """The time at which a Workload without a known start gives its quota back."""
    return (quota_since or 0.0) + patience


def entries_patch(workload: Manifest, ours: Collection[str], entry: CheckEntry, now: float) -> dict[str, Any] | None:
    """The merge patch of the status with this answer; None if the Workload has the answer already.

    Other entries stay as they are, since the patch applies only to the version of the Workload that was read.
    """
    before = list((workload.get("status") or {}).get("admissionChecks") or ())
    after = [_entry(workload, one, entry, now) if one["name"] in ours else one for one in before]
    if after == before:
        return None
    metadata = {name: workload["metadata"][name] for name in ("uid", "resourceVersion")}
    return {"metadata": metadata, "status": {"admissionChecks": after}}


def _entry(workload: Manifest, before: Manifest, entry: CheckEntry, now: float) -> Manifest:
    kept = {name: value for name, value in before.items() if name not in ("requeueAfterSeconds", "podSetUpdates")}
    is_same = before.get("state") == entry.state
    written = {**kept, "state": entry.state.value, "message": entry.message[:_LONGEST_MESSAGE]}
    written["lastTransitionTime"] = before["lastTransitionTime"] if is_same else rfc3339(now)
    if entry.gang:
        labels = {MEMBER_OF_LABEL: entry.gang}
        written["podSetUpdates"] = [{"name": pods.name, "labels": labels} for pods in admitted_pods(workload)]
    return written
