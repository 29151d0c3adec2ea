"""Writes what our AdmissionChecks say of a Workload: their entries in its status, and no others."""

from collections.abc import Collection
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import MEMBER_OF_LABEL
from lockstep.api.podgang.kueue import admitted_pods
from lockstep.api.times import rfc3339
from lockstep.facts.gang.workload import CheckState

# In characters. Kueue takes 32,768, and a person reads less.
_LONGEST_MESSAGE = 1_000


class CheckEntry(NamedTuple):
    """What our checks say of a Workload. ``gang`` is the Gang that its pods are to name, once they are ``READY``.

    With ``RETRY`` no time is given after which it is queued again: Kueue 0.17 would evict it only then, and keep its
    quota and its pods so long. Without one, it evicts it and queues it again at once.
    """

    state: CheckState
    message: str
    gang: str = ""


def without_start(why: str, quota_since: float | None, patience: float, now: float) -> CheckEntry:
    """What is said of a Workload of which no start is known: after ``patience`` seconds its quota is given back."""
    if now < gives_back_at(quota_since, patience):
        return CheckEntry(CheckState.PENDING, why)
    return CheckEntry(
        CheckState.RETRY, f"No start is known after {patience:.0f} s, so Lockstep gives the quota back: {why}"
    )


def gives_back_at(quota_since: float | None, patience: float) -> float:
    """When a Workload gives its quota back of which no start is known."""
    return (quota_since or 0.0) + patience


def entries_patch(workload: Manifest, ours: Collection[str], entry: CheckEntry, now: float) -> dict[str, Any] | None:
    """The merge patch of the status that says so for the Workload as it was read; None where it says so already.

    Other entries stay as they are: the patch holds only for the version that was read.
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
