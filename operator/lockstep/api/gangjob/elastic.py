"""``spec.elastic``, and the fields of a status about sizes: ``status.next`` and ``status.unitTimes``."""

from collections.abc import Callable, Mapping
from typing import Any

from coschedule import Members, UnitTime
from lockstep.api.gangjob.dealing import is_dealt_while_running
from lockstep.api.manifest import Manifest
from lockstep.api.members.notice import reads_notice
from lockstep.api.quantities import duration_seconds, epoch_seconds, rfc3339
from lockstep.facts.elastic import ChangeMode, ElasticSpec, NextSize

_RESTART_TIME = "2m"
_MIN_INTERVAL = "10m"


def parse_elastic(spec: Manifest) -> ElasticSpec | None:
    """Parse ``spec.elastic``; None if the gang keeps its size while it runs."""
    elastic = spec.get("elastic")
    if elastic is None:
        return None
    mode = ChangeMode(elastic["mode"])
    return ElasticSpec(
        restart_time=float(duration_seconds(elastic.get("restartTime", _RESTART_TIME))),
        min_interval=float(duration_seconds(elastic.get("minInterval", _MIN_INTERVAL))),
        size=elastic.get("size"),
        has_notice=mode is ChangeMode.RESTART
        and any(reads_notice(one["template"]) for one in spec.get("roles") or [spec]),
        mode=mode,
        lost=_lost(spec, mode),
    )


def _lost(spec: Manifest, mode: ChangeMode) -> float:
    """The seconds of work that a change of size is expected to cost.

    Programs with ``mode: Restart`` save their work on SIGTERM. With ``mode: Members``, a program goes back to its last
    checkpoint, on average half an interval ago. If pieces are dealt, the members that stay continue with their pieces.
    """
    if mode is ChangeMode.RESTART or "checkpointInterval" not in spec or is_dealt_while_running(spec):
        return 0.0
    return float(duration_seconds(spec["checkpointInterval"])) / 2


def parse_next_size(following: Manifest, members: Callable[[Manifest], Members]) -> NextSize:
    """Parse ``status.next``; ``members`` parses one entry of its list of members."""
    return NextSize(
        members=tuple(members(one) for one in following["members"]),
        decided_at=epoch_seconds(following["decidedAt"]) or 0.0,
        expected_finish=epoch_seconds(following.get("expectedFinish")),
        why=following["why"],
        begins_at=epoch_seconds(following.get("beginsAt")),
    )


def parse_unit_time(one: Manifest) -> UnitTime:
    """Parse one entry of ``status.unitTimes``."""
    return UnitTime(int(one["size"]), float(one["seconds"]))


def unit_time_manifest(one: UnitTime) -> dict[str, int]:
    """Format one entry of ``status.unitTimes``."""
    return {"size": one.size, "seconds": int(one.seconds)}


def next_size_manifest(following: NextSize, entry: Callable[[Members], Mapping[str, Any]]) -> dict[str, Any]:
    """Format ``status.next``; ``entry`` formats one entry of its list of members."""
    return {
        "size": following.size,
        "members": [entry(one) for one in following.members],
        "decidedAt": rfc3339(following.decided_at),
        "beginsAt": None if following.begins_at is None else rfc3339(following.begins_at),
        "expectedFinish": None if following.expected_finish is None else rfc3339(following.expected_finish),
        "why": following.why,
    }
