"""Metrics of size changes of running gangs: their reasons and costs, and whether gangs then end as expected."""

from prometheus_client import CollectorRegistry, Counter, Histogram

from coschedule import SizeReason

MEMBERS_LEFT = "MembersLeft"
"""The gang goes on without members that are lost, or whose nodes have to be left."""
SIZE_REASONS = (*SizeReason, MEMBERS_LEFT)
_SECONDS_BUCKETS = (1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
_RATIO_BUCKETS = (0.25, 0.5, 0.75, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 4)
_SHORTEST_SECONDS = 1.0


class SizeChangeMetrics:
    """Metrics of size changes that were decided or made, and of gangs that succeeded after a size change."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._decided = Counter(
            "lockstep_size_changes_decided",
            "Changes of the size of running GangJobs that were decided, by reason.",
            ["reason"],
            registry=registry,
        )
        self._seconds = Histogram(
            "lockstep_size_change_seconds",
            "Time from when members were asked to end, or to join, until all members of the new size ran.",
            buckets=_SECONDS_BUCKETS,
            registry=registry,
        )
        self._lost = Counter(
            "lockstep_size_change_member_seconds",
            "Work not done during changes of mode Restart: their duration, multiplied by the members of the new size.",
            registry=registry,
        )
        self._ratio = Histogram(
            "lockstep_size_change_end_ratio",
            "Time from a gang's last change of size to its successful end, divided by the time expected at the change.",
            buckets=_RATIO_BUCKETS,
            registry=registry,
        )
        for reason in SIZE_REASONS:
            self._decided.labels(reason)

    def decided(self, reason: str) -> None:
        """Count a size change that was decided for this reason, one of ``SIZE_REASONS``."""
        self._decided.labels(reason).inc()

    def made(self, seconds: float, *, stopped_members: int = 0) -> None:
        """Record that all members of the new size run, ``seconds`` after the change began.

        During this time, ``stopped_members`` did no work.
        """
        self._seconds.observe(seconds)
        self._lost.inc(seconds * stopped_members)

    def ended(self, *, changed: float, expected: float, now: float) -> None:
        """Record a gang that succeeded at ``now``.

        Its size last changed at ``changed``. Its end was then expected at ``expected``.
        """
        self._ratio.observe(max(now - changed, _SHORTEST_SECONDS) / max(expected - changed, _SHORTEST_SECONDS))
