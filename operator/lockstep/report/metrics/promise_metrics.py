"""Compares the start estimates of waiting gangs with their real starts."""

from prometheus_client import CollectorRegistry, Counter, Histogram

from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS, PlanChange, StartEstimate
from lockstep.report.metrics.prediction_metrics import WAIT_BUCKETS

_RATIO_BUCKETS = (0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10)
# A shorter wait counts as this long, so that no ratio is huge.
_SHORTEST_WAIT_SECONDS = 1.0


class PromiseMetrics:
    """Metrics of start estimates, counted when a plan is reported, and when a gang with a reported plan starts."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._changes = Counter(
            "lockstep_plan_changes",
            "Changed plans of waiting gangs, by reason of the change.",
            ["reason"],
            registry=registry,
        )
        self._kept = Counter("lockstep_promises_kept", "Gangs that started by their promised start.", registry=registry)
        self._broken = Counter(
            "lockstep_promises_broken",
            "Promised starts that were moved later, were withdrawn, or had passed when the gang started, by reason.",
            ["reason"],
            registry=registry,
        )
        self._declare_starts(registry)
        for reason in PlanChange:
            self._changes.labels(reason)
            self._broken.labels(reason)

    def _declare_starts(self, registry: CollectorRegistry) -> None:
        self._likely_error, self._spare = (
            Histogram(name, text, buckets=WAIT_BUCKETS, registry=registry)
            for name, text in (
                (
                    "lockstep_start_likely_error_seconds",
                    "Time between a gang's last start estimate and its real start.",
                ),
                (
                    "lockstep_start_promise_spare_seconds",
                    "Time between a gang's real start and its promised start; 0 if the gang started later.",
                ),
            )
        )
        self._promised_ratio, self._likely_ratio = (
            Histogram(name, text, buckets=_RATIO_BUCKETS, registry=registry)
            for name, text in (
                ("lockstep_promised_wait_ratio", "Longest wait that was promised to a gang, divided by its real wait."),
                ("lockstep_likely_wait_ratio", "Last estimated wait of a gang, divided by its real wait."),
            )
        )

    def reported(self, before: StartEstimate | None, after: StartEstimate | None, *, why: PlanChange) -> None:
        """Count a change of the plan in the status of a waiting gang, and a promise that the change breaks.

        A promise is broken if it is removed or becomes later; ``why`` is the reason for that.
        """
        if after is not None:
            self._changes.labels(after.changed_because).inc()
        if before is None or before.promised_start is None:
            return
        promised = None if after is None else after.promised_start
        if promised is None or promised > before.promised_start + SAME_TIME_SECONDS:
            self._broken.labels(why).inc()

    def started(self, plan: StartEstimate, *, created: float, start: float, ran_before: bool = False) -> None:
        """Compare the plan in the status of a gang with its real ``start``, when it reserved its nodes.

        For a gang that ``ran_before``, the time since its creation is not only a wait, so waits are not compared.
        """
        wait = max(start - created, _SHORTEST_WAIT_SECONDS)
        self._likely_error.observe(abs(start - plan.likely_start))
        if not ran_before:
            self._likely_ratio.observe(max(0.0, plan.likely_start - created) / wait)
        if plan.promised_start is None:
            return
        self._spare.observe(max(0.0, plan.promised_start - start))
        if not ran_before:
            self._promised_ratio.observe(max(0.0, plan.promised_start - created) / wait)
        if start <= plan.promised_start + SAME_TIME_SECONDS:
            self._kept.inc()
        else:
            self._broken.labels(PlanChange.QUEUE_CHANGED).inc()
