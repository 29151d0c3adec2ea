"""Parses the work of a GangJob: how its run time depends on its size."""

from coschedule import ProfileWork, SerialWork, TimedSize
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import duration_seconds


def parse_work(work: Manifest, maximum: int) -> SerialWork | ProfileWork:
    """The work of a GangJob in which at most ``maximum`` members work."""
    if "profile" in work:
        return _measured(work["profile"], maximum)
    overhead = work.get("overhead") or {}
    return SerialWork(
        serial=duration_seconds(work["serialTime"]),
        fixed=duration_seconds(overhead.get("fixed", "0s")),
        per_member=duration_seconds(overhead.get("perMember", "0s")),
        per_log_member=duration_seconds(overhead.get("perLogMember", "0s")),
    )


def _measured(profile: list[Manifest], maximum: int) -> ProfileWork:
    """Run times at measured sizes. Raises ``ValueError`` if the gang can't have any of the measured sizes."""
    points = sorted(TimedSize(int(point["members"]), duration_seconds(point["time"])) for point in profile)
    if points[0].members > maximum:
        raise ValueError(
            f"work.profile begins at {points[0].members} members, but at most {maximum} members share the work"
        )
    return ProfileWork(points=tuple(points))
