"""Metrics of GangSweeps: how far they are, how their runs have ended, and how often the size of runs changes."""

from collections import Counter as Counts
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge

from lockstep.facts.sweeps.run_ends import RunEnd
from lockstep.facts.sweeps.sweep import Sweep, SweepState, SweepStatus


class SweepMetrics:
    """Metrics over all sweeps, in the given registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.sweeps = Gauge("lockstep_sweeps", "GangSweeps by state.", ["state"], registry=registry)
        self.runs = Counter(
            "lockstep_sweep_runs_ended", "Runs of GangSweeps that ended, by outcome.", ["outcome"], registry=registry
        )
        self.size_changes = Counter(
            "lockstep_sweep_size_changes",
            "Changes of the common size of a GangSweep's next runs.",
            registry=registry,
        )
        for state in SweepState:
            self.sweeps.labels(state.lower())
        for end in RunEnd:
            if end is not RunEnd.NOT_YET:
                self.runs.labels(end.name.lower())

    def refresh(self, sweeps: Iterable[Sweep]) -> None:
        """Set the gauge from the cache. A sweep whose state was not written yet is not counted."""
        counts = Counts(sweep.status.state for sweep in sweeps)
        for state in SweepState:
            self.sweeps.labels(state.lower()).set(counts[state])

    def wrote(self, before: SweepStatus, now: SweepStatus, ends: Iterable[RunEnd]) -> None:
        """Count the runs that have ended since the status ``before``, and a change of the common size since then."""
        for end in ends:
            self.runs.labels(end.name.lower()).inc()
        if before.size is not None and now.size is not None and before.size != now.size:
            self.size_changes.inc()
