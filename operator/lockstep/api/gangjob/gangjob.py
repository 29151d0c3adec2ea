"""Parses and formats GangJobs. A spec that can't be obeyed becomes a refusal that names the field."""

import math
from dataclasses import replace
from typing import Any

from coschedule import GangKey, Interruptible, Members, decode_part
from lockstep.api.bounds import beyond_bounds
from lockstep.api.conditions import condition_manifest, parse_condition
from lockstep.api.gangjob.after import parse_recorded, recorded_manifest
from lockstep.api.gangjob.dealing import parse_dealing, parse_piece_counts, piece_counts_manifest
from lockstep.api.gangjob.elastic import (
    next_size_manifest,
    parse_elastic,
    parse_next_size,
    parse_unit_time,
    unit_time_manifest,
)
from lockstep.api.gangjob.network import parse_network
from lockstep.api.gangjob.policies import parse_policies
from lockstep.api.gangjob.role import parse_roles
from lockstep.api.gangjob.run_template import run_template
from lockstep.api.gangjob.start_estimate import parse_start_estimate, start_estimate_manifest
from lockstep.api.gangjob.work import parse_work
from lockstep.api.identity import created_by, identity, queue_of
from lockstep.api.manifest import Manifest
from lockstep.api.parts import format_part
from lockstep.api.pods.pace import pace_manifest, parse_pace
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.api.quantities import duration_seconds, epoch_seconds, rfc3339
from lockstep.api.rendezvous.limits import crowd_refusal
from lockstep.api.sweeps.run_marks import parse_run
from lockstep.api.versions import is_older
from lockstep.facts.elastic import LastChange
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal, RefusedGang, oversize
from lockstep.facts.gang.rejection import Rejected
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.status import ConditionFact, GangStatus, WorkUsed
from lockstep.facts.gang.summary import Summary
from lockstep.facts.pods.pace import Pace
from lockstep.facts.reason_meanings import FAILURES
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.sizing import Sizing


def parse_gang(manifest: Manifest, before: GangFact | None, pool: Pool = ALL_NODES, gate_image: str = "") -> GangFact:
    """Parse a GangJob. Its members require nodes of ``pool``, in addition to the requirements of their template.

    Gates and dealers are containers of ``gate_image``. Without this image, GangJobs that need them are refused.

    The parsed spec is taken from ``before`` if ``before`` is the same generation of the same object. But if ``before``
    has a later version, the API server was restored to an earlier state, and the spec is parsed again. The queue and
    the run in the metadata are always parsed: if a user removes the owner reference to a sweep, the generation stays.

    If a spec is beyond the bounds of its schema, the gang is refused, and only the policies are parsed. But if the gang
    holds nodes, the whole spec is parsed, since its members run to their end.
    """
    metadata = manifest["metadata"]
    status = parse_status(manifest.get("status") or {})
    if before is not None and _has_the_spec_of(metadata, before):
        return replace(
            before,
            resource_version=metadata["resourceVersion"],
            is_deleting="deletionTimestamp" in metadata,
            status=status,
            policies=replace(before.policies, queue=queue_of(metadata)),
            run=parse_run(metadata),
        )
    parsed = _spec_or_refusal(manifest, pool, gate_image, holds_nodes=status.reserved_at is not None)
    common = {
        **identity(GangKey(metadata["namespace"], metadata["name"]), metadata),
        "policies": replace(parse_policies(manifest["spec"]), queue=queue_of(metadata)),
        "status": status,
        "run": parse_run(metadata),
        "user": created_by(metadata),
    }
    return RefusedGang(**common, refusal=parsed) if isinstance(parsed, Refusal) else AcceptedGang(**common, spec=parsed)


def _has_the_spec_of(metadata: Manifest, before: GangFact) -> bool:
    is_the_same = (before.uid, before.generation) == (metadata["uid"], metadata["generation"])
    return is_the_same and not is_older(metadata["resourceVersion"], before.resource_version)


def _spec_or_refusal(manifest: Manifest, pool: Pool, gate_image: str, *, holds_nodes: bool) -> GangSpec | Refusal:
    excess = beyond_bounds(manifest["spec"])
    if excess and not holds_nodes:
        return oversize(excess)
    try:
        roles = parse_roles(manifest["spec"], pool, gate_image)
        if isinstance(roles, Refusal):
            return roles
        spec = replace(_spec(manifest["spec"], roles), excess=excess)
        refusal = crowd_refusal(manifest["metadata"]["name"], spec)
    except (ValueError, ArithmeticError) as error:
        return Refusal(Reason.INVALID_SPEC, f"{error}.")
    return spec if refusal is None else refusal


def _spec(spec: Manifest, roles: tuple[RoleSpec, ...]) -> GangSpec:
    deadline, placement = spec.get("deadline"), spec.get("placement") or {}
    working = sum(role.sizes.maximum for role in roles if role.load.is_work)
    return GangSpec(
        roles=roles,
        work=parse_work(spec["work"], working) if "work" in spec else None,
        deadline_seconds=None if deadline is None else duration_seconds(deadline),
        priority_class=spec.get("priorityClassName") or _of_templates(roles),
        network=parse_network(spec),
        one_per=placement.get("onePer") or "",
        all_in=placement.get("allIn") or "",
        sizing=Sizing(spec["sizing"]) if "sizing" in spec else None,
        run_template=run_template(spec) if "work" in spec else "",
        learns=bool((spec.get("work") or {}).get("learn")),
        pace=Pace(spec.get("pace", Pace.NONE)),
        interruptible=Interruptible(spec.get("interruptible", Interruptible.NEVER)),
        checkpoint_interval=float(duration_seconds(spec["checkpointInterval"]))
        if "checkpointInterval" in spec
        else math.inf,
        elastic=parse_elastic(spec),
        dealing=parse_dealing(spec),
    )


def _of_templates(roles: tuple[RoleSpec, ...]) -> str:
    """The priority class that templates name; '' if they name none. Raises ``ValueError`` if they name several."""
    named = {role.template.priority_class: role.path for role in roles}
    named.pop("", None)
    if len(named) > 1:
        (one, path), (other, other_path), *_ = named.items()
        raise ValueError(
            f"{path}.spec.priorityClassName: is {one}, and {other_path} has {other}; all members of a gang must have "
            "one priority class"
        )
    return next(iter(named), "")


def parse_status(status: Manifest) -> GangStatus:
    """Parse the status of a GangJob or a Gang."""
    return GangStatus(
        conditions=tuple(_condition(one) for one in status.get("conditions") or ()),
        attempt=int(status.get("attempt", 0)),
        size=status.get("size"),
        start=epoch_seconds(status.get("start")),
        expected_finish=epoch_seconds(status.get("expectedFinish")),
        effective_speedup=status.get("effectiveSpeedup"),
        member_price=status.get("memberPrice"),
        run_time_factor=status.get("runTimeFactor"),
        members=tuple(_members(one) for one in status.get("members") or ()),
        reserved_at=epoch_seconds(status.get("reservedAt")),
        first_planned_start=epoch_seconds(status.get("firstPlannedStart")),
        started_at=epoch_seconds(status.get("startedAt")),
        finished_at=epoch_seconds(status.get("finishedAt")),
        succeeded_ranks=status.get("succeededRanks") or "",
        restarts=int(status.get("restarts", 0)),
        restart_at=epoch_seconds(status.get("restartAt")),
        active_since=epoch_seconds(status.get("activeSince")),
        progress=status.get("progress") or "",
        plan=parse_start_estimate(status["plan"]) if status.get("plan") else None,
        speedup_reached=status.get("speedupReached"),
        past_runs=status.get("pastRuns") or "",
        work_used=_work_used(status.get("workUsed")),
        pace=parse_pace(status["pace"]) if status.get("pace") else None,
        rejected=_rejected(status.get("rejected")),
        queued_since=epoch_seconds(status.get("queuedSince")),
        waited_seconds=status.get("waitedSeconds"),
        next_size=parse_next_size(status["next"], _members) if status.get("next") else None,
        resized_at=epoch_seconds(status.get("resizedAt")),
        last_change=_last_change(status.get("lastChange")),
        first_size=status.get("firstSize"),
        work_done=status.get("workDone") or "",
        ranks=status.get("ranks") or "",
        member_changes=int(status.get("memberChanges", 0)),
        failed_joins=int(status.get("failedJoins", 0)),
        unit_times=tuple(parse_unit_time(one) for one in status.get("unitTimes") or ()),
        after=parse_recorded(status),
        pieces=parse_piece_counts(status.get("pieces")),
    )


def _last_change(one: Manifest | None) -> LastChange | None:
    return None if one is None else LastChange(epoch_seconds(one["beganAt"]) or 0.0, one.get("seconds"))


def _work_used(one: Manifest | None) -> WorkUsed | None:
    return None if one is None else WorkUsed(one["source"], one["message"])


def _rejected(one: Manifest | None) -> Rejected | None:
    return None if one is None else Rejected(one["reason"], tuple(one["nodes"]), one["suiting"])


def _members(one: Manifest) -> Members:
    return Members(one["node"], int(one["count"]), decode_part(one), one.get("role") or "")


def _condition(one: Manifest) -> ConditionFact:
    parsed = parse_condition(one)
    return parsed._replace(type=Condition.FAILED) if _was_complete_and_failed(one) else parsed


def _was_complete_and_failed(one: Manifest) -> bool:
    """Whether an earlier version of the operator wrote the condition: it also set Complete to True for failed gangs."""
    return (one["type"], one["status"]) == (Condition.COMPLETE, "True") and one["reason"] in FAILURES


def status_manifest(status: GangStatus) -> dict[str, Any]:
    """Format the status as a merge patch. Fields that do not apply are null, so that earlier values are removed."""
    return {
        "conditions": [condition_manifest(one) for one in status.conditions],
        "attempt": status.attempt,
        "size": status.size,
        "start": _time(status.start),
        "expectedFinish": _time(status.expected_finish),
        "effectiveSpeedup": status.effective_speedup,
        "memberPrice": status.member_price,
        "runTimeFactor": status.run_time_factor,
        "members": [_entry(members) for members in status.members] or None,
        "reservedAt": _time(status.reserved_at),
        "firstPlannedStart": _time(status.first_planned_start),
        "startedAt": _time(status.started_at),
        "finishedAt": _time(status.finished_at),
        "succeededRanks": status.succeeded_ranks or None,
        "restarts": status.restarts or None,
        "restartAt": _time(status.restart_at),
        "activeSince": _time(status.active_since),
        "progress": status.progress or None,
        "plan": None if status.plan is None else start_estimate_manifest(status.plan),
        "speedupReached": status.speedup_reached,
        "pastRuns": status.past_runs or None,
        "workUsed": None if status.work_used is None else status.work_used._asdict(),
        "pace": None if status.pace is None else pace_manifest(status.pace),
        "rejected": None if status.rejected is None else status.rejected._asdict(),
        "queuedSince": _time(status.queued_since),
        "waitedSeconds": status.waited_seconds,
        "after": [recorded_manifest(one) for one in status.after] or None,
        "pieces": None if status.pieces is None else piece_counts_manifest(status.pieces),
        **_changes_manifest(status),
    }


def _changes_manifest(status: GangStatus) -> dict[str, Any]:
    """Format the fields of a status that are about changes of size, as a part of the merge patch."""
    return {
        "next": None if status.next_size is None else next_size_manifest(status.next_size, _entry),
        "resizedAt": _time(status.resized_at),
        "lastChange": None if status.last_change is None else _last_change_manifest(status.last_change),
        "firstSize": status.first_size,
        "workDone": status.work_done or None,
        "ranks": status.ranks or None,
        "memberChanges": status.member_changes or None,
        "failedJoins": status.failed_joins or None,
        "unitTimes": [unit_time_manifest(one) for one in status.unit_times] or None,
    }


def summary_manifest(summary: Summary) -> dict[str, Any]:
    """Format the part of the merge patch that is only for people. The operator never reads these fields."""
    return {"state": summary.state, "sizeAndRange": summary.size or None, "summary": summary.says or None}


def _last_change_manifest(last: LastChange) -> dict[str, Any]:
    return {"beganAt": rfc3339(last.began_at), "seconds": last.seconds}


def _entry(members: Members) -> dict[str, Any]:
    """Format one entry of the list of members in a status."""
    role = {"role": members.role} if members.role else {}
    return {**role, "node": members.node, "count": members.count, **format_part(members.part)}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else rfc3339(seconds)
