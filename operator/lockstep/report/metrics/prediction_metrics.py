"""Compares predictions for gangs with the real sizes, starts and run times."""

from prometheus_client import CollectorRegistry, Histogram

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
# In seconds. The buckets range from gangs that start at once to gangs that are promised a start next week.
WAIT_BUCKETS = (
    *(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    *(_MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 4 * _HOUR, 12 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY),
)
_SKEW_BUCKETS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, _MINUTE, 2 * _MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR)
_RUN_BUCKETS = (
    *(1, 5, 10, 30),
    *(_MINUTE, 5 * _MINUTE, 15 * _MINUTE, _HOUR, 4 * _HOUR, 12 * _HOUR, _DAY, 3 * _DAY, 7 * _DAY),
)
_RATIO_BUCKETS = (0.5, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 4)
_SPEEDUP_BUCKETS = (0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256)
_SIZE_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
# In seconds. Run times are not known more exactly than this.
_SHORTEST_SECONDS = 1e-3


class Predictions:
    """Pairs of metrics. Each pair is observed for the same gangs, so that their means and quantiles can be compared."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._declare_sizes(registry)
        self._declare_starts(registry)
        self._declare_run_times(registry)
        self._declare_speedups(registry)

    def _declare_sizes(self, registry: CollectorRegistry) -> None:
        self._size, self._minimum, self._maximum = (
            Histogram(name, text, buckets=_SIZE_BUCKETS, registry=registry)
            for name, text in (
                ("lockstep_gang_size_members", "Number of members with which a gang was placed."),
                ("lockstep_gang_size_min_members", "Smallest size that the spec of a placed gang allows."),
                ("lockstep_gang_size_max_members", "Largest size that the spec of a placed gang allows."),
            )
        )

    def _declare_starts(self, registry: CollectorRegistry) -> None:
        self._start_wait, self._planned_start_wait, self._start_delay = (
            Histogram(name, text, buckets=WAIT_BUCKETS, registry=registry)
            for name, text in (
                (
                    "lockstep_start_wait_seconds",
                    "Time from a gang's creation until all of its members ran for the first time.",
                ),
                (
                    "lockstep_start_wait_planned_seconds",
                    "Time from a gang's creation to its first planned start, for gangs whose members all ran.",
                ),
                (
                    "lockstep_start_delay_seconds",
                    "Time from a gang's first planned start until all its members ran; 0 if they ran earlier.",
                ),
            )
        )

        self._start_skew = Histogram(
            "lockstep_start_skew_seconds",
            "Time between the start of a gang's first member and the start of its last member.",
            buckets=_SKEW_BUCKETS,
            registry=registry,
        )

    def _declare_run_times(self, registry: CollectorRegistry) -> None:
        self._run_time, self._predicted_run_time = (
            Histogram(name, text, buckets=_RUN_BUCKETS, registry=registry)
            for name, text in (
                ("lockstep_run_time_seconds", "Run time of a gang that succeeded, if a run time had been predicted."),
                ("lockstep_run_time_predicted_seconds", "Run time that was predicted for a gang that succeeded."),
            )
        )
        self._run_time_ratio = Histogram(
            "lockstep_run_time_ratio",
            "Run time of a gang that succeeded, divided by the run time predicted for it.",
            buckets=_RATIO_BUCKETS,
            registry=registry,
        )

    def _declare_speedups(self, registry: CollectorRegistry) -> None:
        self._speedup, self._predicted_speedup = (
            Histogram(name, text, buckets=_SPEEDUP_BUCKETS, registry=registry)
            for name, text in (
                (
                    "lockstep_speedup_ratio",
                    (
                        "Run time of one member on an idle reference node, divided by the run time of a gang that "
                        "succeeded."
                    ),
                ),
                (
                    "lockstep_speedup_predicted_ratio",
                    (
                        "Run time of one member on an idle reference node, divided by the run time that was predicted "
                        "for the gang."
                    ),
                ),
            )
        )

    def placed(self, *, size: int, minimum: int, maximum: int) -> None:
        """Record the size of a gang whose members were all bound, and the bounds of the size in its spec."""
        self._size.observe(size)
        self._minimum.observe(minimum)
        self._maximum.observe(maximum)

    def started(self, *, wait: float, planned_wait: float, skew: float) -> None:
        """Record that all members of a gang run, ``wait`` seconds after its creation.

        The first planned start was ``planned_wait`` seconds after its creation. The first member ran ``skew`` seconds
        before the last member.
        """
        self.started_again(skew=skew)
        self._start_wait.observe(max(0.0, wait))
        self._planned_start_wait.observe(max(0.0, planned_wait))
        self._start_delay.observe(max(0.0, wait - planned_wait))

    def started_again(self, *, skew: float) -> None:
        """Record that all members run in a later attempt. The last member began ``skew`` s after the first."""
        self._start_skew.observe(max(0.0, skew))

    def succeeded(self, *, run_time: float, predicted: float, alone: float | None) -> None:
        """Record the real and the predicted run time of a gang that succeeded, in seconds.

        ``alone`` is the run time of one member alone; None if unknown.
        """
        self._run_time.observe(run_time)
        self._predicted_run_time.observe(predicted)
        self._run_time_ratio.observe(run_time / predicted)
        if alone is not None:
            self._speedup.observe(alone / max(run_time, _SHORTEST_SECONDS))
            self._predicted_speedup.observe(alone / predicted)
