"""Writes the fields in the status of a GangJob's Workload that Kueue expects from the controller of a job."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from lockstep.api.conditions import condition_of, has_condition
from lockstep.api.kueue.check_entries import CheckEntry, entries_patch
from lockstep.api.kueue.workload import QUOTA_RESERVED
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.times import rfc3339

_ADMITTED, _EVICTED, _FINISHED, _READY, _REQUEUED = "Admitted", "Evicted", "Finished", "PodsReady", "Requeued"
# After these evictions, Kueue wants the Workload in the queue at once. After others, Kueue itself queues it later.
_AT_ONCE = ("Preempted", "NodeFailures")


class GangEnd(NamedTuple):
    """The end of a gang: whether it has succeeded, and a message."""

    has_succeeded: bool
    message: str


class QuotaUse(NamedTuple):
    """How a gang uses its quota.

    ``runs`` says whether all members run. ``holds_nothing`` says whether the gang has no members and no reservation.
    ``most`` has the most members that each pod set of the Workload can still have. A pod set is missing there if its
    number is unknown. ``entry`` is the answer of our checks; None if the answer stays as it is.
    """

    end: GangEnd | None
    runs: bool
    holds_nothing: bool
    most: Mapping[str, int]
    entry: CheckEntry | None


def use_patch(workload: Manifest, use: QuotaUse, ours: Collection[str], now: float) -> NewManifest | None:
    """The merge patch of the status, for the Workload as it was read; None if nothing has to be written.

    It gives back the whole quota if the gang has ended, or if it is evicted and holds nothing. It gives back a part of
    the quota for members that the gang can no longer have. Kueue does not allow a later patch to take this part again.
    """
    before = workload.get("status") or {}
    if has_condition(before, _FINISHED):
        return None
    after = _after(workload, use, now)
    after |= _checks(workload, use, ours, now)
    changed = {field: value for field, value in after.items() if value != before.get(field)}
    metadata = {name: workload["metadata"][name] for name in ("uid", "resourceVersion")}
    return {"metadata": metadata, "status": changed} if changed else None


def _checks(workload: Manifest, use: QuotaUse, ours: Collection[str], now: float) -> dict[str, Any]:
    """The entries of our checks, if they change; nothing while the Workload has no quota or is being evicted.

    Kueue resets these entries when it evicts a Workload. An answer at that time would count for the next quota, and
    Kueue would admit the Workload at once.
    """
    before = workload.get("status") or {}
    if use.entry is None or not has_condition(before, QUOTA_RESERVED) or has_condition(before, _EVICTED):
        return {}
    patch = entries_patch(workload, ours, use.entry, now)
    return {} if patch is None else dict(patch["status"])


def _after(workload: Manifest, use: QuotaUse, now: float) -> dict[str, Any]:
    """The fields of the status that may change."""
    before = workload.get("status") or {}
    if use.end is not None:
        reason = "Succeeded" if use.end.has_succeeded else "Failed"
        return {"conditions": _with(before, now, (_FINISHED, "True", reason, use.end.message))}
    if not has_condition(before, QUOTA_RESERVED):
        return {}
    if has_condition(before, _EVICTED):
        return _without_quota(before, now) if use.holds_nothing else {}
    ready = _pods_ready(before, runs=use.runs)
    conditions = {"conditions": _with(before, now, ready)} if ready is not None else {}
    return {**conditions, **_given_back(workload, use)}


def _without_quota(before: Manifest, now: float) -> dict[str, Any]:
    """The fields without the quota and all that depends on it, as Kueue writes them for Jobs."""
    evicted = condition_of(before, _EVICTED) or {}
    message = evicted.get("message", "")
    is_queued = "True" if evicted.get("reason") in _AT_ONCE else "False"
    changes = [
        (_REQUEUED, is_queued, evicted.get("reason", ""), message),
        (QUOTA_RESERVED, "False", "Pending", message),
        (_ADMITTED, "False", "NoReservation", "The workload has no reservation"),
    ]
    if condition_of(before, _READY) is not None:
        changes.append((_READY, "False", "WaitForStart", "The gang has no members."))
    return {"conditions": _with(before, now, *changes), "admission": None, "reclaimablePods": None}


def _pods_ready(before: Manifest, *, runs: bool) -> tuple[str, str, str, str] | None:
    """The condition PodsReady to write; None if it stays as it is."""
    known = condition_of(before, _READY)
    if not has_condition(before, _ADMITTED) or runs == has_condition(before, _READY):
        return None
    if runs:
        again = known is not None and known["reason"] == "WaitForRecovery"
        return (_READY, "True", "Recovered" if again else "Started", "All members run.")
    return (_READY, "False", "WaitForRecovery", "Members are missing, and the gang starts again.")


def _given_back(workload: Manifest, use: QuotaUse) -> dict[str, Any]:
    """The field with the pods whose quota is given back; nothing if their number does not grow."""
    before = (workload.get("status") or {}).get("reclaimablePods") or []
    known = {one["name"]: int(one["count"]) for one in before}
    counts = dict(known)
    for part in workload["spec"]["podSets"]:
        name, asked = part["name"], int(part.get("count", 1))
        unused = asked - use.most.get(name, asked)
        if unused > known.get(name, 0):
            counts[name] = unused
    return {} if counts == known else {"reclaimablePods": [{"name": it, "count": n} for it, n in counts.items()]}


def _with(before: Manifest, now: float, *changes: tuple[str, str, str, str]) -> list[NewManifest]:
    """The conditions, some of them replaced. Each change has type, status, reason and message."""
    conditions = {one["type"]: one for one in before.get("conditions") or ()}
    for kind, status, reason, message in changes:
        known = conditions.get(kind, {})
        since = known["lastTransitionTime"] if known.get("status") == status else rfc3339(now)
        written = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}
        conditions[kind] = written
    return list(conditions.values())
