"""A GangJob's manifest as a fact: what can't be obeyed yet becomes a refusal that names the field."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coschedule import Constraints, GangKey, Load, Members, SerialWork, TimesWork, Toleration, Work, decode_part
from lockstep.api.amounts import check_amounts
from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.node_terms import parse_terms
from lockstep.api.parts import spelled_part
from lockstep.api.pod_request import pod_request
from lockstep.api.pod_terms import pod_affinity
from lockstep.api.pool import ALL_NODES, Pool
from lockstep.api.preferences import preferred
from lockstep.api.quantities import duration_seconds, epoch_seconds, rfc3339
from lockstep.api.unsupported import unsupported
from lockstep.facts.gang import ConditionFact, GangFact, GangSpec, GangStatus, Needs, Refusal
from lockstep.facts.reasons import Reason
from lockstep.facts.volume import ClaimUse

Manifest = Mapping[str, Any]

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def parse_gang(manifest: Manifest, before: GangFact | None, pool: Pool = ALL_NODES) -> GangFact:
    """A GangJob whose members ask for nodes of ``pool``, besides what their template says.

    The spec's part is taken from ``before`` where that is the same generation of the same object.
    """
    metadata = manifest["metadata"]
    status = _status(manifest.get("status") or {})
    if before is not None and (before.uid, before.generation) == (metadata["uid"], metadata["generation"]):
        return replace(
            before,
            resource_version=metadata["resourceVersion"],
            is_deleting="deletionTimestamp" in metadata,
            status=status,
        )
    spec, refusal = _spec_or_refusal(manifest["spec"], pool.template_in(manifest["spec"]["template"]))
    created = epoch_seconds(metadata["creationTimestamp"])
    assert created is not None, "the API server gives every object its creation time"
    return GangFact(
        key=GangKey(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        generation=metadata["generation"],
        created=created,
        is_deleting="deletionTimestamp" in metadata,
        spec=spec,
        refusal=refusal,
        status=status,
    )


def parse_needs(pod: Manifest) -> Needs | Refusal:
    """What a pod with that spec asks of its node as a member, or why it can't be placed as it asks."""
    not_obeyed = next(unsupported(pod), None) or _other_scheduler(pod)
    if not_obeyed is not None:
        return Refusal(Reason.UNSUPPORTED_FIELD, f"template.spec.{not_obeyed}.")
    try:
        check_amounts(pod)
        return Needs(pod_request(pod, {}, is_member=True), _constraints(pod), tuple(_claims(pod)), pod_affinity(pod))
    except (ValueError, ArithmeticError) as error:
        return Refusal(Reason.INVALID_SPEC, f"{error}.")


def _spec_or_refusal(spec: Manifest, template: Manifest) -> tuple[GangSpec | None, Refusal | None]:
    needs = parse_needs(template["spec"])
    if isinstance(needs, Refusal):
        return None, needs
    try:
        return _spec(spec, template, needs), None
    except (ValueError, ArithmeticError) as error:
        return None, Refusal(Reason.INVALID_SPEC, f"{error}.")


def _spec(spec: Manifest, template: Manifest, needs: Needs) -> GangSpec:
    deadline = spec.get("deadline")
    maximum = int(spec["size"]["max"])
    load = Load(spec.get("load", Load.EQUAL))
    placement = spec.get("placement") or {}
    return GangSpec(
        minimum=int(spec["size"]["min"]),
        maximum=maximum,
        work=_work(spec["work"], maximum) if "work" in spec else None,
        deadline_seconds=None if deadline is None else duration_seconds(deadline),
        priority_class=spec.get("priorityClassName") or template["spec"].get("priorityClassName") or "",
        request=needs.request,
        constraints=needs.constraints,
        claims=needs.claims,
        template=template,
        load=load,
        pieces=_pieces(spec, load),
        pod_affinity=needs.pod_affinity,
        one_per=placement.get("onePer") or "",
        all_in=placement.get("allIn") or "",
        not_weighed=tuple(f"template.spec.{path}" for path in preferred(template["spec"])),
    )


def _other_scheduler(pod: Manifest) -> str | None:
    name = pod.get("schedulerName") or SCHEDULER_NAME
    if name == SCHEDULER_NAME:
        return None
    return f"schedulerName: Lockstep places the members, not {name}: write {SCHEDULER_NAME}, or leave the field out"


def _claims(pod: Manifest) -> Iterator[ClaimUse]:
    for number, volume in enumerate(pod.get("volumes") or ()):
        if "persistentVolumeClaim" in volume:
            field = f"volumes[{number}].persistentVolumeClaim"
            yield ClaimUse(field, volume["persistentVolumeClaim"]["claimName"])


def _work(work: Manifest, maximum: int) -> Work:
    if "profile" in work:
        return _measured(work["profile"], maximum)
    overhead = work.get("overhead") or {}
    return SerialWork(
        serial=duration_seconds(work["serialTime"]),
        fixed=duration_seconds(overhead.get("fixed", "0s")),
        per_member=duration_seconds(overhead.get("perMember", "0s")),
        per_log_member=duration_seconds(overhead.get("perLogMember", "0s")),
    )


def _measured(profile: list[Manifest], maximum: int) -> Work:
    """Run times at every size, from measured ones.

    Between two measured sizes, members · time runs straight: Amdahl's law through both points. Sizes outside the
    measured ones are not allowed.
    """
    points = sorted((int(point["members"]), duration_seconds(point["time"])) for point in profile)
    sizes = np.array([members for members, _ in points])
    member_seconds = np.array([members * seconds for members, seconds in points])
    every = np.arange(1, min(maximum, int(sizes[-1])) + 1)
    times = np.where(every >= sizes[0], np.interp(every, sizes, member_seconds) / every, np.inf)
    return TimesWork(times=tuple(times.tolist()))


def _pieces(spec: Manifest, load: Load) -> int | None:
    """The number of pieces. Raises ValueError where the rest of the spec makes no sense of it."""
    pieces: int | None = spec.get("pieces")
    if (load is Load.PIECES) != (pieces is not None):
        raise ValueError("pieces: goes with load Pieces, and only with that")
    if pieces is None:
        return None
    if pieces < spec["size"]["min"]:
        raise ValueError(f"pieces: {spec['size']['min']} members need as many, not {pieces}")
    if "profile" in spec.get("work", {}):
        raise ValueError("work.profile: does not say how long a piece takes")
    return pieces


def _constraints(pod: Manifest) -> Constraints:
    node_affinity = (pod.get("affinity") or {}).get("nodeAffinity") or {}
    required = node_affinity.get(_REQUIRED)
    return Constraints(
        node_selector=tuple(sorted((pod.get("nodeSelector") or {}).items())),
        affinity=None if required is None else parse_terms(required),
        tolerations=tuple(
            Toleration(one.get("key", ""), one.get("operator") or "Equal", one.get("value", ""), one.get("effect", ""))
            for one in pod.get("tolerations") or ()
        ),
    )


def _status(status: Manifest) -> GangStatus:
    return GangStatus(
        conditions=tuple(_condition(one) for one in status.get("conditions") or ()),
        attempt=int(status.get("attempt", 0)),
        size=status.get("size"),
        start=epoch_seconds(status.get("start")),
        expected_finish=epoch_seconds(status.get("expectedFinish")),
        effective_speedup=status.get("effectiveSpeedup"),
        members=tuple(Members(one["node"], int(one["count"]), decode_part(one)) for one in status.get("members") or ()),
        reserved_at=epoch_seconds(status.get("reservedAt")),
        first_planned_start=epoch_seconds(status.get("firstPlannedStart")),
        started_at=epoch_seconds(status.get("startedAt")),
        finished_at=epoch_seconds(status.get("finishedAt")),
        succeeded_ranks=status.get("succeededRanks") or "",
    )


def _condition(one: Manifest) -> ConditionFact:
    return ConditionFact(
        type=one["type"],
        status=one["status"],
        reason=one["reason"],
        message=one.get("message", ""),
        observed_generation=int(one.get("observedGeneration", 0)),
        last_transition=epoch_seconds(one["lastTransitionTime"]) or 0.0,
    )


def status_manifest(status: GangStatus) -> dict[str, Any]:
    """The status as a merge patch: what does not apply is null, so that nothing of an earlier one stays."""
    return {
        "conditions": [
            {
                "type": one.type,
                "status": one.status,
                "reason": one.reason,
                "message": one.message,
                "observedGeneration": one.observed_generation,
                "lastTransitionTime": rfc3339(one.last_transition),
            }
            for one in status.conditions
        ],
        "attempt": status.attempt,
        "size": status.size,
        "start": _time(status.start),
        "expectedFinish": _time(status.expected_finish),
        "effectiveSpeedup": status.effective_speedup,
        "members": [_entry(members) for members in status.members] or None,
        "reservedAt": _time(status.reserved_at),
        "firstPlannedStart": _time(status.first_planned_start),
        "startedAt": _time(status.started_at),
        "finishedAt": _time(status.finished_at),
        "succeededRanks": status.succeeded_ranks or None,
    }


def _entry(members: Members) -> dict[str, Any]:
    """Spell one entry of the list of members."""
    return {"node": members.node, "count": members.count, **spelled_part(members.part)}


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else rfc3339(seconds)
