"""Writes into the status of the Workload of a GangJob what Kueue leaves to the controller of a job."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from lockstep.api.conditions import condition_of, has_condition
from lockstep.api.kueue.check_entries import CheckEntry, entries_patch
from lockstep.api.kueue.workload import QUOTA_RESERVED
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.times import rfc3339

_ADMITTED, _EVICTED, _FINISHED, _READY, _REQUEUED = "Admitted", "Evicted", "Finished", "PodsReady", "Requeued"
# After these evictions Kueue wants the Workload queued at once; after others it says itself when.
_AT_ONCE = ("Preempted", "NodeFailures")


class GangEnd(NamedTuple):
    """How a gang has ended."""

    has_succeeded: bool
    message: str


class QuotaUse(NamedTuple):
    """What a gang makes of its quota.

    ``most`` are the most members that it can still have, by the part of the Workload; nothing for parts of which none
    is known. ``entry`` is for our checks; None if they stay as they are.
    """

    end: GangEnd | None
    runs: bool
    holds_nothing: bool
    most: Mapping[str, int]
    entry: CheckEntry | None


def use_patch(workload: Manifest, use: QuotaUse, ours: Collection[str], now: float) -> NewManifest | None:
    """The merge patch of the status for the Workload as it was read; None where there is nothing to write.

    An end gives the quota back, and so does an eviction once the gang holds nothing. A part of the quota is given back
    with the members that the gang can't have any more: Kueue allows no later patch to take them again.
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
    """What our checks say. With an eviction Kueue sets them back, and would admit the next quota at once by an answer.

    So they say nothing from then on until there is quota again.
    """
    before = workload.get("status") or {}
    if use.entry is None or not has_condition(before, QUOTA_RESERVED) or has_condition(before, _EVICTED):
        return {}
    patch = entries_patch(workload, ours, use.entry, now)
    return {} if patch is None else dict(patch["status"])


def _after(workload: Manifest, use: QuotaUse, now: float) -> dict[str, Any]:
    """The fields of the status, as far as they may change."""
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
    """As Kueue does it for Jobs: with the quota, all goes that was said of it."""
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
    """The condition to write; None while it stays."""
    known = condition_of(before, _READY)
    if not has_condition(before, _ADMITTED) or runs == has_condition(before, _READY):
        return None
    if runs:
        again = known is not None and known["reason"] == "WaitForRecovery"
        return (_READY, "True", "Recovered" if again else "Started", "All members run.")
    return (_READY, "False", "WaitForRecovery", "Members are missing, and the gang starts again.")


def _given_back(workload: Manifest, use: QuotaUse) -> dict[str, Any]:
    """The pods whose quota is given back, if they become more."""
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
    """The conditions with some replaced: each is type, status, reason, message."""
    conditions = {one["type"]: one for one in before.get("conditions") or ()}
    for kind, status, reason, message in changes:
        known = conditions.get(kind, {})
        since = known["lastTransitionTime"] if known.get("status") == status else rfc3339(now)
        written = {"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": since}
        conditions[kind] = written
    return list(conditions.values())
