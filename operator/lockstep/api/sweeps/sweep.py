"""Parses and formats GangSweeps."""

import re
from base64 import b64decode, b64encode
from binascii import Error
from typing import Any

from coschedule import RunTimeLaw
from lockstep.api.conditions import condition_manifest, parse_condition
from lockstep.api.identity import created_by, queue_of
from lockstep.api.manifest import Manifest
from lockstep.api.names import REQUEUE_ANNOTATION
from lockstep.api.quantities import epoch_seconds, rfc3339
from lockstep.facts.document import Document
from lockstep.facts.ranks import format_ranks, parse_ranks
from lockstep.facts.runs.sweep_keys import sweep_key
from lockstep.facts.sweeps.sweep import RequeueRequest, RunFailure, Sweep, SweepSpec, SweepStatus

_WISH = re.compile(r"([0-9a-f-]{1,64}) ([0-9,-]{1,49152})")


def parse_sweep(manifest: Manifest) -> Sweep:
    """Parse a GangSweep."""
    metadata = manifest["metadata"]
    return Sweep(
        key=sweep_key(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        resource_version=metadata["resourceVersion"],
        generation=metadata.get("generation", 0),
        is_deleting="deletionTimestamp" in metadata,
        spec=_spec(manifest["spec"]),
        status=parse_sweep_status(manifest.get("status") or {}),
        user=created_by(metadata),
        queue=queue_of(metadata),
        requeue=_requeue_request((metadata.get("annotations") or {}).get(REQUEUE_ANNOTATION, "")),
    )


def _spec(spec: Manifest) -> SweepSpec:
    return SweepSpec(
        runs=spec.get("runs"),
        parameters=(spec.get("parametersFrom") or {}).get("configMap", ""),
        max_parallel=spec.get("maxParallel"),
        first=(spec.get("finish") or {}).get("first"),
        max_failed=spec.get("maxFailed"),
        law=RunTimeLaw(spec.get("runTimes", RunTimeLaw.EQUAL)),
        is_suspended=bool(spec.get("suspend")),
        template=Document.of(spec["template"]),
    )


def parse_sweep_status(status: Manifest) -> SweepStatus:
    """Parse the status of a GangSweep."""
    return SweepStatus(
        observed_generation=int(status.get("observedGeneration", 0)),
        state=status.get("state") or "",
        summary=status.get("summary") or "",
        runs=status.get("runs"),
        running=int(status.get("running", 0)),
        waiting=int(status.get("waiting", 0)),
        succeeded=int(status.get("succeeded", 0)),
        failed=int(status.get("failed", 0)),
        failed_runs=status.get("failedRuns") or "",
        run_ends=_run_ends(status.get("runStates") or ""),
        failures=tuple(RunFailure(one["run"], one["reason"], one["message"]) for one in status.get("failures") or ()),
        size=status.get("size"),
        size_reason=status.get("sizeReason") or "",
        requeued=status.get("requeued") or "",
        parameters_uid=status.get("parametersUID") or "",
        started_at=epoch_seconds(status.get("startedAt")),
        expected_finish=epoch_seconds(status.get("expectedFinish")),
        finished_at=epoch_seconds(status.get("finishedAt")),
        conditions=tuple(parse_condition(one) for one in status.get("conditions") or ()),
    )


def _run_ends(text: str) -> bytes:
    """The packed ends of runs; b'' if the text is not base64, since any client may have written it."""
    try:
        return b64decode(text, validate=True)
    except Error:
        return b""


def sweep_status_manifest(status: SweepStatus) -> dict[str, Any]:
    """Format the status as a merge patch. Fields that do not apply are null, so that earlier values are removed."""
    return {
        "observedGeneration": status.observed_generation,
        "state": status.state,
        "summary": status.summary or None,
        "runs": status.runs,
        "running": status.running,
        "waiting": status.waiting,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "failedRuns": status.failed_runs or None,
        "runStates": b64encode(status.run_ends).decode() or None,
        "failures": [one._asdict() for one in status.failures] or None,
        "size": status.size,
        "sizeReason": status.size_reason or None,
        "requeued": status.requeued or None,
        "parametersUID": status.parameters_uid or None,
        "startedAt": None if status.started_at is None else rfc3339(status.started_at),
        "expectedFinish": None if status.expected_finish is None else rfc3339(status.expected_finish),
        "finishedAt": None if status.finished_at is None else rfc3339(status.finished_at),
        "conditions": [condition_manifest(one) for one in status.conditions],
    }


def requeue_annotation(request: RequeueRequest) -> dict[str, str]:
    """The annotation by which a user requests that failed runs are made again."""
    return {REQUEUE_ANNOTATION: f"{request.id} {format_ranks(request.runs)}"}


def _requeue_request(text: str) -> RequeueRequest | None:
    found = _WISH.fullmatch(text)
    return None if found is None else RequeueRequest(found[1], parse_ranks(found[2]))
