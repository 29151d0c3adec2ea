"""A GangJob's manifest as a fact: what can't be obeyed yet becomes a refusal that names the field."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from coschedule.cluster.snapshot import Constraints, GangKey, Load, Toleration
from coschedule.work import SerialWork, TimesWork, Work
from lockstep.facts import ClaimUse, ConditionFact, GangFact, GangSpec, GangStatus, Members, Refusal
from lockstep.names import SCHEDULER_NAME, Reason
from lockstep.watch.parse import parse_terms
from lockstep.watch.quantities import duration_seconds, epoch_seconds
from lockstep.watch.requests import pod_request

Manifest = Mapping[str, Any]

_NOT_YET = "Lockstep does not support it yet, so no member could be placed as it asks"


def parse_gang(manifest: Manifest, before: GangFact | None) -> GangFact:
    """A GangJob. The spec's part is taken from ``before`` where that is the same generation of the same object."""
    metadata = manifest["metadata"]
    status = _status(manifest.get("status") or {})
    if before is not None and (before.uid, before.generation) == (metadata["uid"], metadata["generation"]):
        return replace(
            before,
            resource_version=metadata["resourceVersion"],
            is_deleting="deletionTimestamp" in metadata,
            status=status,
        )
    spec, refusal = _spec_or_refusal(manifest["spec"])
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


def _spec_or_refusal(spec: Manifest) -> tuple[GangSpec | None, Refusal | None]:
    unsupported = next(_unsupported(spec["template"]["spec"]), None)
    if unsupported is not None:
        return None, Refusal(Reason.UNSUPPORTED_FIELD, f"template.spec.{unsupported}: {_NOT_YET}.")
    try:
        return _spec(spec), None
    except (ValueError, ArithmeticError) as error:
        return None, Refusal(Reason.INVALID_SPEC, f"{error}.")


def _spec(spec: Manifest) -> GangSpec:
    pod = spec["template"]["spec"]
    deadline = spec.get("deadline")
    maximum = int(spec["size"]["max"])
    load = Load(spec.get("load", Load.EQUAL))
    return GangSpec(
        minimum=int(spec["size"]["min"]),
        maximum=maximum,
        work=_work(spec["work"], maximum) if "work" in spec else None,
        deadline_seconds=None if deadline is None else duration_seconds(deadline),
        priority_class=spec.get("priorityClassName") or pod.get("priorityClassName") or "",
        request=pod_request(pod, {}, is_member=True),
        constraints=_constraints(pod),
        claims=tuple(_claims(pod)),
        template=spec["template"],
        load=load,
        pieces=_pieces(spec, load),
    )


def _unsupported(pod: Manifest) -> Iterator[str]:
    """The fields that a placement would have to obey and can't yet, in the order of the manifest."""
    affinity = pod.get("affinity") or {}
    yield from (f"affinity.{kind}" for kind in ("podAffinity", "podAntiAffinity") if affinity.get(kind))
    for number, volume in enumerate(pod.get("volumes") or ()):
        if "ephemeral" in volume:
            yield f"volumes[{number}].ephemeral"
    yield from (field for field in ("topologySpreadConstraints", "resourceClaims") if pod.get(field))
    yield from (field for field in ("nodeName", "schedulingGates", "schedulingGroup") if pod.get(field))
    if pod.get("schedulerName", SCHEDULER_NAME) != SCHEDULER_NAME:
        yield "schedulerName"


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
    required = node_affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
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
        members=tuple(
            Members(one["node"], int(one["count"]), share=one.get("share"), pieces=one.get("pieces"))
            for one in status.get("members") or ()
        ),
        reserved_at=epoch_seconds(status.get("reservedAt")),
        first_planned_start=epoch_seconds(status.get("firstPlannedStart")),
        started_at=epoch_seconds(status.get("startedAt")),
        finished_at=epoch_seconds(status.get("finishedAt")),
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
