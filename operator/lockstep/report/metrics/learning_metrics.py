"""Metrics of learned run times and their errors, over all templates together, since templates are data of tenants."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from lockstep.belief.run_times.past_runs import PastRuns

FINISHED = ("kept", "not_comparable")
SOURCES = ("learned", "stated")
_ERROR_BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10)


class LearningMetrics:
    """Gauges of remembered runs, which are refreshed when they are read, and counters of runs that succeeded."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._declare_memory(registry)
        self._declare_runs(registry)

    def _declare_memory(self, registry: CollectorRegistry) -> None:
        self._templates, self._runs, self._laws, self._kinds = (
            Gauge(name, text, registry=registry)
            for name, text in (
                (
                    "lockstep_run_time_templates",
                    "Templates with remembered runs. From the third run on, plans use the past run times.",
                ),
                ("lockstep_remembered_runs", "Finished runs that Lockstep remembers, of all templates together."),
                (
                    "lockstep_learned_laws",
                    (
                        "Templates with learn: true whose plans use a learned formula for the run time at each size, "
                        "since it is more exact than the stated run times."
                    ),
                ),
                (
                    "lockstep_learned_kinds",
                    "Templates with learn: true whose plans use learned factors for kinds of nodes.",
                ),
            )
        )

    def _declare_runs(self, registry: CollectorRegistry) -> None:
        self._finished = Counter(
            "lockstep_finished_runs",
            "Successful runs of gangs with work: kept, or not comparable with other runs, such as later attempts "
            "and short runs.",
            ["result"],
            registry=registry,
        )
        self._dropped = Counter(
            "lockstep_dropped_runs", "Remembered runs that were removed for newer runs.", registry=registry
        )
        self._error = Histogram(
            "lockstep_learned_run_time_error_ratio",
            "Relative error of learned and of stated run times, for runs that were planned with learned run "
            "times. 0.1 means that the run time was 1.1 times as long as predicted, or the prediction was 1.1 times as "
            "long as the run time.",
            ["source"],
            buckets=_ERROR_BUCKETS,
            registry=registry,
        )
        for result in FINISHED:
            self._finished.labels(result)
        for source in SOURCES:
            self._error.labels(source)

    def refresh(self, past_runs: PastRuns) -> None:
        """Set the gauges from the cache."""
        judged = list(past_runs.judged)
        self._templates.set(len(past_runs))
        self._runs.set(past_runs.run_count)
        self._laws.set(sum(learned.law is not None for learned in judged))
        self._kinds.set(sum(bool(learned.factors) for learned in judged))

    def not_comparable(self) -> None:
        """Count a successful run that can't be compared with other runs."""
        self._finished.labels("not_comparable").inc()

    def kept(self, *, dropped: int) -> None:
        """Count a successful run that is remembered, and the ``dropped`` runs that were removed for it."""
        self._finished.labels("kept").inc()
        self._dropped.inc(dropped)

    def predicted(self, *, times_as_stated: float, times_as_learned: float) -> None:
        """Record the errors of learned and stated run times for a run that was planned with learned ones.

        The arguments are the real run time divided by the stated one, and by the learned one.
        """
        self._error.labels("learned").observe(_error_of(times_as_learned))
        self._error.labels("stated").observe(_error_of(times_as_stated))


def _error_of(times: float) -> float:
    """The relative error of a run that took ``times`` as long as predicted; ``times`` is above 0."""
    return max(times, 1 / times) - 1
