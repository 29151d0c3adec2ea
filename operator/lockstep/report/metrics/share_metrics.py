"""Metrics of the use of shares: one series for each group of the FairShare. There are at most 65 groups."""

from prometheus_client import CollectorRegistry, Gauge

from lockstep.belief.shares.sharing import GroupSharing
from lockstep.facts.fair_share import OTHERS
from lockstep.report.text.share_sentences import times_share


class ShareMetrics:
    """Gauges over all groups, refreshed when the metrics are read; series of groups that are gone are removed then."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.groups = Gauge(
            "lockstep_share_groups",
            "Groups of the FairShare, including the group of all other namespaces.",
            registry=registry,
        )
        self.used = Gauge(
            "lockstep_share_used_ratio",
            "Use of a group divided by the use that its weight entitles it to. Past use counts half after a week.",
            ["group"],
            registry=registry,
        )
        self.used.labels(OTHERS)

    def refresh(self, sharing: GroupSharing, now: float) -> None:
        """Set the gauges from the use of each group."""
        self.groups.set(len(sharing.named))
        self.used.clear()
        times = times_share(sharing.named, sharing.used(now))
        for group in [one.name for one in sharing.named] or [OTHERS]:
            self.used.labels(group).set(times.get(group, 0.0))
