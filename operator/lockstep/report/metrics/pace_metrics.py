"""Metrics of pace: members with less CPU than requested, and the results of resizes."""

from prometheus_client import CollectorRegistry, Counter, Gauge

from lockstep.facts.pods.pace import ResizeResult


class PaceMetrics:
    """Metrics over all gangs, in the given registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.members = Gauge(
            "lockstep_paced_members",
            "Members with reduced CPU, since their gang has a slower member or their node's owner is present.",
            registry=registry,
        )
        self.given_back = Gauge(
            "lockstep_paced_cpu_cores", "Cores that paced members no longer request.", registry=registry
        )
        self.resizes = Counter(
            "lockstep_resizes",
            "Members whose CPU was changed, by result.",
            ["result"],
            registry=registry,
        )
        for result in ResizeResult:
            self.resizes.labels(result)

    def resized(self, result: ResizeResult) -> None:
        """Count one resize."""
        self.resizes.labels(result).inc()
