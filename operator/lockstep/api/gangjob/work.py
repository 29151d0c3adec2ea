"""Parses how a gang's run time depends on its size."""

import numpy as np

from coschedule import SerialWork, TimesWork, Work
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import duration_seconds


def parse_work(work: Manifest, maximum: int) -> Work:
    """The work of a GangJob with at most ``maximum`` working members."""
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
    """Run times at every size, interpolated from measured ones.

    Between two measured sizes, members · time is linear: Amdahl's law through both points. Sizes outside the measured
    range are not allowed.
    """
    points = sorted((int(point["members"]), duration_seconds(point["time"])) for point in profile)
    sizes = np.array([members for members, _ in points])
    member_seconds = np.array([members * seconds for members, seconds in points])
    every = np.arange(1, min(maximum, int(sizes[-1])) + 1)
    times = np.where(every >= sizes[0], np.interp(every, sizes, member_seconds) / every, np.inf)
    return TimesWork(times=tuple(times.tolist()))
